package pagessim

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"lukechampine.com/blake3"
)

// uploadLife is how long an upload token is good.
const uploadLife = 5 * time.Minute

type upload struct {
	project string
	expires time.Time
}

type blob struct {
	content     []byte
	contentType string
}

func (s *Server) uploadToken(w http.ResponseWriter, _ *http.Request, p *project) {
	expires := s.opts.Now().Add(uploadLife)
	claims, err := json.Marshal(map[string]any{"exp": expires.Unix(), "max_file_count_allowed": 20_000})
	if err != nil {
		panic(err) // numbers always encode
	}
	jwt := fmt.Sprintf("eyJhbGciOiJub25lIn0.%s.%s", base64.RawURLEncoding.EncodeToString(claims), s.newID())
	s.uploads[jwt] = upload{p.name, expires}
	result(w, map[string]any{"jwt": jwt})
}

func (s *Server) uploading(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		jwt, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if token, ok := s.uploads[jwt]; !ok || !s.opts.Now().Before(token.expires) {
			refuse(w, http.StatusUnauthorized, 8000013, "Authorization failed")
			return
		}
		next(w, r)
	}
}

type hashList struct {
	Hashes []string `json:"hashes"`
}

func (s *Server) checkMissing(w http.ResponseWriter, r *http.Request) {
	var in hashList
	if !readJSON(w, r, &in) {
		return
	}
	missing := []string{}
	for _, hash := range in.Hashes {
		if _, ok := s.blobs[hash]; !ok {
			missing = append(missing, hash)
		}
	}
	result(w, missing)
}

var hashForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// uploadAssets takes whatever key comes with a file, as the real one does: a
// wrong one shows when the site is served.
func (s *Server) uploadAssets(w http.ResponseWriter, r *http.Request) {
	var in []struct {
		Key      string `json:"key"`
		Value    string `json:"value"`
		Metadata struct {
			ContentType string `json:"contentType"`
		} `json:"metadata"`
		Base64 bool `json:"base64"`
	}
	if !readJSON(w, r, &in) {
		return
	}
	if len(in) > 2000 {
		refuse(w, http.StatusBadRequest, 8000012, "Too many files in one request.")
		return
	}
	for _, file := range in {
		content, err := base64.StdEncoding.DecodeString(file.Value)
		if err != nil || !file.Base64 || !hashForm.MatchString(file.Key) || file.Metadata.ContentType == "" || len(content) > 25<<20 {
			refuse(w, http.StatusBadRequest, 8000011, "A file of the request is invalid.")
			return
		}
		s.blobs[file.Key] = blob{content, file.Metadata.ContentType}
	}
	result(w, true)
}

func (s *Server) upsertHashes(w http.ResponseWriter, r *http.Request) {
	var in hashList
	if !readJSON(w, r, &in) {
		return
	}
	result(w, true)
}

// fits tells whether hash is the right one for a file of that name.
func fits(hash, name string, content []byte) bool {
	sum := blake3.Sum256([]byte(base64.StdEncoding.EncodeToString(content) + strings.TrimPrefix(path.Ext(name), ".")))
	return hash == hex.EncodeToString(sum[:16])
}
