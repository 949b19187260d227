package modelsim

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// apiError is an error in the shape of the real API.
type apiError struct {
	status  int
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param"`
	Code    string `json:"code"`
}

func invalid(param, format string, args ...any) apiError {
	return apiError{status: 400, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error", Param: param}
}

// worded is how the real API words a status.
func worded(status int) apiError {
	switch status {
	case http.StatusUnauthorized:
		return apiError{status: status, Message: "Incorrect API key provided.", Type: "invalid_request_error", Code: "invalid_api_key"}
	case http.StatusTooManyRequests:
		return apiError{status: status, Message: "Rate limit reached for requests.", Type: "requests", Code: "rate_limit_exceeded"}
	}
	return apiError{status: status, Message: "The server had an error while processing your request.", Type: "server_error"}
}

func refuse(w http.ResponseWriter, e apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(map[string]apiError{"error": e}) // the caller may be gone
}
