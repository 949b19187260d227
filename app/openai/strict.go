package openai

import (
	"bytes"
	"encoding/json"
	"slices"
)

// notStrict are keywords of JSON Schema that the API refuses with strict: true.
// Our own validation still holds the model to them.
// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
var notStrict = []string{
	"minLength", "maxLength", "uniqueItems", "contains", "minContains", "maxContains",
	"minProperties", "maxProperties", "patternProperties", "propertyNames", "default", "examples",
}

// field is one member of a JSON object.
type field struct {
	name  string
	value json.RawMessage
}

// strictSchema rewrites a schema to what strict mode takes. The order of the
// properties stays: it is the order in which the model fills them.
func strictSchema(raw json.RawMessage) (json.RawMessage, error) {
	fields, err := members(raw)
	if err != nil || fields == nil {
		return raw, err
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return slices.Contains(notStrict, f.name) })
	for i, f := range fields {
		if fields[i].value, err = strictMember(f); err != nil {
			return nil, err
		}
	}
	if is(fields, "type", `"object"`) { // an object without fields must still say so
		fields = ensure(fields, "properties", "{}")
		fields = ensure(fields, "required", "[]")
	}
	return object(fields), nil
}

func strictMember(f field) (json.RawMessage, error) {
	switch f.name {
	case "items":
		return strictSchema(f.value)
	case "properties", "$defs":
		named, err := members(f.value)
		if err != nil {
			return nil, err
		}
		for i := range named {
			if named[i].value, err = strictSchema(named[i].value); err != nil {
				return nil, err
			}
		}
		return object(named), nil
	}
	return f.value, nil
}

// members returns an object's members in order, nil when raw is no object.
func members(raw json.RawMessage) ([]field, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, err
	}
	fields := []field{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		fields = append(fields, field{name.(string), value})
	}
	return fields, nil
}

func object(fields []field) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(f.name) // a string always has an encoding
		b.Write(name)
		b.WriteByte(':')
		b.Write(f.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func is(fields []field, name, value string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name && string(f.value) == value })
}

func ensure(fields []field, name, value string) []field {
	if slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
		return fields
	}
	return append(fields, field{name, json.RawMessage(value)})
}
