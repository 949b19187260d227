package xsim

import (
	"encoding/json"
	"net/http"
	"strings"
)

type problemBody struct {
	Title  string         `json:"title"`
	Type   string         `json:"type"`
	Status int            `json:"status,omitempty"`
	Detail string         `json:"detail"`
	Errors []invalidField `json:"errors,omitempty"`
}

type invalidField struct {
	Parameters map[string][]string `json:"parameters"`
	Message    string              `json:"message"`
}

// problem answers in the shape of problem+json.
func problem(w http.ResponseWriter, status int, title, detail string) {
	writeJSON(w, status, problemBody{Title: title, Type: "about:blank", Status: status, Detail: detail})
}

// invalid answers 400 in the shape X uses for bad parameters.
func invalid(w http.ResponseWriter, parameter, message string) {
	writeJSON(w, http.StatusBadRequest, problemBody{
		Title: "Invalid Request", Type: "https://api.x.com/2/problems/invalid-request",
		Detail: "One or more parameters to your request was invalid.",
		Errors: []invalidField{{map[string][]string{parameter: {}}, message}},
	})
}

func forbidden(w http.ResponseWriter, detail string) {
	problem(w, http.StatusForbidden, "Forbidden", detail)
}

// faultBody is what X answers along with a status.
func faultBody(f Fault) (contentType string, body []byte) {
	title := http.StatusText(f.Status)
	detail := title
	if f.Status == http.StatusPaymentRequired {
		title, detail = "CreditsDepleted", "Your enrolled account does not have any credits to fulfill this request."
	}
	body, err := json.Marshal(problemBody{Title: title, Type: "about:blank", Status: f.Status, Detail: detail})
	if err != nil {
		panic(err) // strings and a number always encode
	}
	return "application/problem+json", body
}

func bearer(r *http.Request) (string, bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
}
