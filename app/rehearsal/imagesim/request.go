package imagesim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// request is the body of POST /v1/images/generations.
type request struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	N              *int   `json:"n"`
	Size           string `json:"size"`
	ResponseFormat string `json:"response_format"`
	Quality        string `json:"quality"`
	OutputFormat   string `json:"output_format"`
	User           string `json:"user"`
}

type problem struct{ param, code, message string }

var sizes = []string{"256x256", "512x512", "1024x1024", "1536x1024", "1024x1536", "1792x1024", "1024x1792"}

func (s *Server) read(r *http.Request) (request, *problem) {
	var in request
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return in, &problem{"", "unsupported_content_type", "Invalid Content-Type header: use application/json."}
	}
	dec := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return in, &problem{strings.Trim(name, `"`), "unknown_parameter", "Unknown parameter: " + name + "."}
		}
		return in, &problem{"", "invalid_json", "We could not parse the JSON body of your request."}
	}
	return in, in.fill(s.options.Models)
}

// fill sets the defaults and checks each field as the real service does.
func (in *request) fill(models []string) *problem {
	if in.N == nil {
		one := 1
		in.N = &one
	}
	if in.Size == "" {
		in.Size = "1024x1024"
	}
	switch {
	case in.Prompt == "":
		return &problem{"prompt", "missing_required_parameter", "Missing required parameter: 'prompt'."}
	case len(in.Prompt) > 4000:
		return &problem{"prompt", "string_above_max_length", "Invalid 'prompt': string too long. Expected a string with maximum length 4000."}
	case in.Model == "" || len(models) > 0 && !slices.Contains(models, in.Model):
		return &problem{"model", "invalid_value", fmt.Sprintf("The model '%s' does not exist.", in.Model)}
	case *in.N < 1 || *in.N > 10:
		return &problem{"n", "invalid_value", "Invalid 'n': expected a value from 1 to 10."}
	case !slices.Contains(sizes, in.Size):
		return &problem{"size", "invalid_value", fmt.Sprintf("Invalid value: '%s'. Supported values are: %s.", in.Size, strings.Join(sizes, ", "))}
	}
	return in.format()
}

// format checks the fields that differ by the kind of model.
func (in *request) format() *problem {
	newer := strings.HasPrefix(in.Model, "gpt-image")
	switch {
	case newer && in.ResponseFormat != "":
		return &problem{"response_format", "unknown_parameter", "Unknown parameter: 'response_format'."}
	case newer && !slices.Contains([]string{"", "auto", "low", "medium", "high"}, in.Quality):
		return &problem{"quality", "invalid_value", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'low', 'medium', 'high', and 'auto'.", in.Quality)}
	case newer && in.OutputFormat != "" && in.OutputFormat != "png":
		return &problem{"output_format", "invalid_value", "Invalid value for 'output_format': only 'png' is served here."}
	case !newer && in.ResponseFormat != "b64_json":
		return &problem{"response_format", "invalid_value", "Invalid value for 'response_format': only 'b64_json' is served here."}
	case !newer && in.OutputFormat != "":
		return &problem{"output_format", "unknown_parameter", "Unknown parameter: 'output_format'."}
	}
	return nil
}
