package xsim

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"vivra/app"
)

const (
	maxImage   = 5 << 20
	maxGIF     = 15 << 20
	mediaLife  = 24 * time.Hour
	gifLooks   = 1 // looks at a GIF before it is ready
	maxAltText = 1000
)

var mediaTypes = map[string]string{
	"image/png": "tweet_image", "image/jpeg": "tweet_image", "image/webp": "tweet_image", "image/gif": "tweet_gif",
}

type media struct {
	id, owner, mime string
	total           int
	segments        [][]byte
	closed          bool
	looks           int // still to come before it is ready
	alt             string
	charged         app.Nano
	expires         time.Time
}

func (m *media) bytes() []byte {
	var all []byte
	for _, segment := range m.segments {
		all = append(all, segment...)
	}
	return all
}

func (m *media) state() string {
	switch {
	case !m.closed:
		return "open"
	case m.looks > 0:
		return "pending"
	}
	return "succeeded"
}

func (s *Server) openMedia(w http.ResponseWriter, r *http.Request, me *account) {
	var in struct {
		Type     string `json:"media_type"`
		Total    int    `json:"total_bytes"`
		Category string `json:"media_category"`
	}
	if !strictJSON(w, r, &in) {
		return
	}
	limit := maxImage
	if in.Type == "image/gif" {
		limit = maxGIF
	}
	switch {
	case mediaTypes[in.Type] == "":
		invalid(w, "media_type", "The media type is not supported.")
	case in.Category != mediaTypes[in.Type]:
		invalid(w, "media_category", "The media category does not fit the type.")
	case in.Total < 1 || in.Total > limit:
		invalid(w, "total_bytes", fmt.Sprintf("The file must have 1 to %d bytes.", limit))
	default:
		now := s.opts.Now()
		m := &media{id: s.newID(now), owner: me.ID, mime: in.Type, total: in.Total, expires: now.Add(mediaLife)}
		s.media[m.id] = m
		writeJSON(w, http.StatusOK, map[string]any{"data": mediaData(m)})
	}
}

func mediaData(m *media) map[string]any {
	data := map[string]any{"id": m.id, "media_key": "3_" + m.id, "expires_after_secs": int(mediaLife / time.Second)}
	if m.closed {
		data["size"] = m.total
	}
	if m.closed && m.mime == "image/gif" {
		data["processing_info"] = map[string]any{"state": m.state(), "check_after_secs": 1}
	}
	return data
}

// mine finds the account's own upload in the path or the query.
func (s *Server) mine(w http.ResponseWriter, id string, me *account) (*media, bool) {
	m := s.media[id]
	if m == nil || m.owner != me.ID {
		invalid(w, "id", "The media id is not valid.")
		return nil, false
	}
	return m, true
}

func (s *Server) appendMedia(w http.ResponseWriter, r *http.Request, me *account) {
	m, ok := s.mine(w, r.PathValue("id"), me)
	if !ok {
		return
	}
	index, err := strconv.Atoi(r.FormValue("segment_index"))
	if err != nil || index != len(m.segments) || m.closed {
		invalid(w, "segment_index", "Segments come in order, from 0 to 999, before finalize.")
		return
	}
	file, _, err := r.FormFile("media")
	if err != nil {
		invalid(w, "media", "The part named media is missing.")
		return
	}
	defer file.Close()
	segment, err := io.ReadAll(io.LimitReader(file, 5<<20+1))
	if err != nil || len(segment) > 5<<20 {
		problem(w, http.StatusRequestEntityTooLarge, "Payload Too Large", "The segment is too large.")
		return
	}
	m.segments = append(m.segments, segment)
	writeJSON(w, http.StatusOK, map[string]any{"data": map[string]any{"expires_at": m.expires.Unix()}})
}

func (s *Server) closeMedia(w http.ResponseWriter, r *http.Request, me *account) {
	m, ok := s.mine(w, r.PathValue("id"), me)
	if !ok {
		return
	}
	content := m.bytes()
	if len(content) != m.total {
		invalid(w, "id", fmt.Sprintf("%d bytes were announced and %d came.", m.total, len(content)))
		return
	}
	if kind := http.DetectContentType(content); kind != m.mime {
		invalid(w, "id", "The file is "+kind+", not "+m.mime+".")
		return
	}
	m.closed = true
	if m.mime == "image/gif" {
		m.looks = gifLooks
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": mediaData(m)})
}

func (s *Server) mediaStatus(w http.ResponseWriter, r *http.Request, me *account) {
	m, ok := s.mine(w, r.FormValue("media_id"), me)
	if !ok {
		return
	}
	if r.FormValue("command") != "STATUS" {
		invalid(w, "command", "The command must be STATUS.")
		return
	}
	m.looks = max(m.looks-1, 0)
	writeJSON(w, http.StatusOK, map[string]any{"data": mediaData(m)})
}

func (s *Server) describeMedia(w http.ResponseWriter, r *http.Request, me *account) {
	var in struct {
		ID       string `json:"id"`
		Metadata struct {
			AltText struct {
				Text string `json:"text"`
			} `json:"alt_text"`
		} `json:"metadata"`
	}
	if !strictJSON(w, r, &in) {
		return
	}
	m, ok := s.mine(w, in.ID, me)
	if !ok {
		return
	}
	alt := in.Metadata.AltText.Text
	if alt == "" || utf8.RuneCountInString(alt) > maxAltText {
		invalid(w, "metadata.alt_text.text", "The alt text has 1 to 1000 characters.")
		return
	}
	m.alt = alt
	m.charged += priceAltText
	s.charges.AltTexts += priceAltText
	writeJSON(w, http.StatusOK, map[string]any{"data": map[string]any{
		"id": m.id, "associated_metadata": map[string]any{"alt_text": map[string]any{"text": alt}},
	}})
}
