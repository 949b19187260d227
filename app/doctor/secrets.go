package doctor

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Secrets are what no report may show, in whatever spelling it comes back.
type Secrets struct{ spellings [][]rune }

// telling is how many characters of a secret in a row are too many. What is
// shorter is taken out where it stands whole, from shortest on.
const (
	telling  = 8
	shortest = 6
)

// hidden takes a secret's place.
const hidden = "[secret]"

// NewSecrets returns the secrets with the spellings in which services echo
// them: quoted for a URL or for JSON, and in base64 as in a header.
func NewSecrets(values ...string) Secrets {
	var s Secrets
	for _, v := range values {
		if len(v) < shortest {
			continue
		}
		quoted, _ := json.Marshal(v) // a string always has an encoding
		for _, spelling := range []string{v, url.QueryEscape(v), url.PathEscape(v), strings.Trim(string(quoted), `"`),
			base64.StdEncoding.EncodeToString([]byte(v)), base64.URLEncoding.EncodeToString([]byte(v))} {
			s.spellings = append(s.spellings, []rune(strings.TrimRight(spelling, "=")))
		}
	}
	return s
}

// InURL returns what of an address is a secret: its password, the values of its
// query, and long parts of its path, where providers put their keys.
func InURL(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address}
	}
	var found []string
	database := strings.HasPrefix(u.Scheme, "postgres") // whose user is a name, and whose query says how to connect
	if password, ok := u.User.Password(); ok {
		found = append(found, password, u.User.Username()+":"+password)
	} else if name := u.User.Username(); name != "" && !database {
		found = append(found, name)
	}
	for key, values := range u.Query() {
		if !database || strings.Contains(key, "password") {
			found = append(found, values...)
		}
	}
	for _, part := range strings.Split(u.Path, "/") {
		if len(part) >= 16 && u.Host != "" && !database {
			found = append(found, part)
		}
	}
	if u.Fragment != "" {
		found = append(found, u.Fragment)
	}
	return found
}

// hide takes every secret out of text, and every part of one that tells of it:
// what was cut off in the middle is as little to be shown.
func (s Secrets) hide(text string) string {
	runes := []rune(text)
	marked := make([]bool, len(runes))
	for _, secret := range s.spellings {
		mark(runes, marked, secret)
	}
	var out strings.Builder
	for i, r := range runes {
		switch {
		case !marked[i]:
			out.WriteRune(r)
		case i == 0 || !marked[i-1]:
			out.WriteString(hidden)
		}
	}
	return out.String()
}

// mark marks each run of telling characters that text has in common with secret.
func mark(text []rune, marked []bool, secret []rune) {
	n := min(telling, len(secret))
	for at := 0; at+n <= len(secret); at++ {
		part := secret[at : at+n]
		for i := 0; i+n <= len(text); i++ {
			if slices.Equal(text[i:i+n], part) {
				for j := i; j < i+n; j++ {
					marked[j] = true
				}
			}
		}
	}
}

// plain keeps what can be printed, on one line: names and errors come from outside.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

// most keeps the first n characters.
func most(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ,.;:") + "…"
	}
	return text
}
