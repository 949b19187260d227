package pagessim

import (
	"net/http"
	"strings"
)

type record struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Content string `json:"content"`
	TTL     int    `json:"ttl"`
	Proxied bool   `json:"proxied"`
}

func (s *Server) pointsAt(name, target string) bool {
	for _, r := range s.records {
		if r.Type == "CNAME" && r.Name == name && r.Content == target && r.Proxied {
			return true
		}
	}
	return false
}

func (s *Server) listRecords(w http.ResponseWriter, r *http.Request) {
	found := []record{}
	for _, one := range s.records {
		name, kind := r.FormValue("name.exact")+r.FormValue("name"), r.FormValue("type")
		if (name == "" || strings.EqualFold(name, one.Name)) && (kind == "" || kind == one.Type) {
			found = append(found, one)
		}
	}
	write(w, http.StatusOK, envelope{Success: true, Errors: []apiError{}, Messages: []string{}, Result: found, Info: &pageInfo{
		Page: 1, PerPage: 100, Count: len(found), TotalCount: len(found), TotalPages: 1,
	}})
}

func (s *Server) createRecord(w http.ResponseWriter, r *http.Request) {
	var in record
	if !readJSON(w, r, &in) || !complete(w, in) {
		return
	}
	for _, other := range s.records {
		if strings.EqualFold(other.Name, in.Name) {
			refuse(w, http.StatusBadRequest, 81053, "An A, AAAA, or CNAME record with that host already exists.")
			return
		}
	}
	in.ID = strings.ReplaceAll(s.newID(), "-", "")
	s.records = append(s.records, in)
	result(w, in)
}

func complete(w http.ResponseWriter, in record) bool {
	if in.Type == "" || in.Name == "" || in.Content == "" || in.TTL == 0 {
		refuse(w, http.StatusBadRequest, 9005, "Content, name, type and ttl are required.")
		return false
	}
	return true
}

func (s *Server) editRecord(w http.ResponseWriter, r *http.Request) {
	for i := range s.records {
		if s.records[i].ID != r.PathValue("id") {
			continue
		}
		edited := s.records[i] // what is not sent stays
		if readJSON(w, r, &edited) && complete(w, edited) {
			edited.ID = s.records[i].ID
			s.records[i] = edited
			result(w, edited)
		}
		return
	}
	refuse(w, http.StatusNotFound, 81044, "Record does not exist.")
}
