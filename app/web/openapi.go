package web

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

// anyToken stands for the parameters that name a token.
const anyToken = "/api/v1/tokens/:chain/:address/"

// node is a piece of an OpenAPI document.
type node = map[string]any

// endpoint is what the document says of a route of the API, beside its answer's
// type, which its schema is made of.
type endpoint struct {
	summary string
	answers any // what a route answers with; nil: the stream
	query   []parameter
}

type parameter struct {
	name, about string
	least, most int
}

// endpoints are all routes of the API by their path.
func endpoints() map[string]endpoint {
	return map[string]endpoint{
		paths.OperationData(":slug"): {summary: "Where a takeover stands", answers: operationAnswer{}},
		paths.OperationDataLive(":slug"): {summary: "A stream of server-sent events: step.updated with each step, first of all, then of each that changes; log.appended with each row of the log, its number as the event's id; log.skipped when more came than one can be told. Reconnect with Last-Event-ID, or begin after a row.",
			query: []parameter{{"after", "the number of the last row known; 0 begins with the first", 0, 0}}},
		"/api/v1/operations/:slug/log": {summary: "Rows of the log in their order. line is what was hashed, byte for byte: hash is SHA-256 of the bytes of prev_hash and of line, so that nothing can be changed unseen.", answers: rowsAnswer{},
			query: []parameter{{"after", "the number of the last row known", 0, 0}, {"limit", "how many rows at most", 1, mostRowsAtOnce}}},
		"/api/v1/openapi.json": {summary: "This document", answers: node{}},
		anyToken + "burned":    {summary: "What lies at burn addresses", answers: burnedAnswer{}},
		anyToken + "chart":     {summary: "Measurements of the last days, oldest first", answers: chartAnswer{}, query: []parameter{{"days", "how many days back", 1, chartDays}}},
		anyToken + "holders":   {summary: "Who holds the token, the largest first", answers: holdersAnswer{}},
		anyToken + "market":    {summary: "The market as it was last read", answers: marketAnswer{}},
	}
}

// GET /api/v1/openapi.json describes the API to programs.
func (s *Server) showOpenAPI(c echo.Context) error {
	body, err := json.Marshal(s.openAPI())
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	if known(c, app.SHA256Hex(body)[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSONBlob(http.StatusOK, body)
}

func (s *Server) openAPI() node {
	schemas, all := node{}, node{}
	schemas["error"] = node{"type": "object", "required": []string{"error"}, "properties": node{"error": node{"type": "string", "description": "a sentence for people"}}}
	for at, e := range endpoints() {
		path, params := template(at)
		all[path] = node{"get": node{"summary": e.summary, "parameters": append(params, queries(e.query)...), "responses": answersOf(e, schemas)}}
	}
	return node{
		"openapi": "3.1.0",
		"info": node{"title": "Vivra", "version": "1", "description": "What is public of takeovers, for any site and program. No key is needed. Answers are cached as their Cache-Control says and have an ETag; " +
			"too many requests from one address are answered with 429 and Retry-After. Amounts of money are whole nano-dollars (1 dollar is 1,000,000,000), instants are UTC."},
		"servers": []node{{"url": s.PublicURL}}, "paths": all, "components": node{"schemas": schemas},
	}
}

// template is the path of a route as OpenAPI writes it, with its parameters.
func template(route string) (string, []node) {
	about := map[string]string{"slug": "names a takeover, as in its page's address", "chain": "the chain's id, such as 8453", "address": "the token's address, in lower case or as EIP-55 has it"}
	params := []node{}
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
			params = append(params, node{"name": name, "in": "path", "required": true, "description": about[name], "schema": node{"type": "string"}})
		}
	}
	return strings.Join(parts, "/"), params
}

func queries(all []parameter) (out []node) {
	for _, p := range all {
		schema := node{"type": "integer", "minimum": p.least}
		if p.most > 0 {
			schema["maximum"] = p.most
		}
		out = append(out, node{"name": p.name, "in": "query", "description": p.about, "schema": schema})
	}
	return out
}

func answersOf(e endpoint, schemas node) node {
	content := node{"text/event-stream": node{"schema": node{"type": "string"}}}
	if e.answers != nil {
		content = node{"application/json": node{"schema": schemaOf(reflect.TypeOf(e.answers), schemas)}}
	}
	fault := node{"application/json": node{"schema": node{"$ref": "#/components/schemas/error"}}}
	return node{
		"200": node{"description": "the answer", "content": content}, "304": node{"description": "as the ETag that was sent"},
		"404": node{"description": "there is no such thing", "content": fault}, "422": node{"description": "a parameter does not fit", "content": fault},
		"429": node{"description": "too many requests from this address", "content": fault}, "503": node{"description": "try again in a few seconds", "content": fault},
	}
}

// schemaOf describes the JSON that a type becomes; structs go to schemas.
func schemaOf(t reflect.Type, schemas node) node {
	switch t.Kind() {
	case reflect.Pointer:
		of := schemaOf(t.Elem(), schemas)
		of["type"] = []any{of["type"], "null"}
		return of
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return node{"type": "object"}
		}
		return node{"type": "array", "items": schemaOf(t.Elem(), schemas)}
	case reflect.Struct:
		name := strings.TrimSuffix(t.Name(), "Answer")
		if schemas[name] == nil {
			properties, required := node{}, []string{}
			schemas[name] = node{"type": "object", "properties": properties}
			fieldsOf(t, properties, &required, schemas)
			schemas[name].(node)["required"] = required
		}
		return node{"$ref": "#/components/schemas/" + name}
	case reflect.Map:
		return node{"type": "object"}
	case reflect.Float64:
		return node{"type": "number"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return node{"type": "integer"}
	default:
		return node{"type": "string"}
	}
}

func fieldsOf(t reflect.Type, properties node, required *[]string, schemas node) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			fieldsOf(f.Type, properties, required, schemas)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := schemaOf(f.Type, schemas)
		if about := f.Tag.Get("about"); about != "" {
			of["description"] = about
		}
		properties[name] = of
		if options != "omitempty" {
			*required = append(*required, name)
		}
	}
}
