package chain_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/chain"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	const sum = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // from EIP-55
	tests := map[string]struct {
		in string
		ok bool
	}{
		"checksum":       {sum, true},
		"spaces":         {"  " + sum + "\n", true},
		"lower":          {strings.ToLower(sum), true},
		"upper":          {"0x" + strings.ToUpper(sum[2:]), true},
		"wrong case":     {strings.Replace(sum, "aA", "AA", 1), false},
		"wrong digit":    {strings.Replace(sum, "5a", "6a", 1), false},
		"short":          {sum[:41], false},
		"no hex":         {strings.Replace(sum, "5a", "5g", 1), false},
		"without prefix": {sum[2:], false},
	}
	for name, tt := range tests {
		got, err := chain.ParseAddress(tt.in)
		if (err == nil) != tt.ok || err != nil && app.KindOf(err) != app.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if tt.ok && chain.Checksum(got) != sum {
			t.Errorf("%s: %s", name, chain.Checksum(got))
		}
	}
}

// readBody reads a request and puts the body back.
func readBody(r *http.Request) string {
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(raw)))
	return string(raw)
}

type call struct {
	ID     json.RawMessage `json:"id"`
	Params []struct {
		FromBlock string `json:"fromBlock"`
		ToBlock   string `json:"toBlock"`
	} `json:"params"`
}

func requestID(body string) string {
	var c call
	_ = json.Unmarshal([]byte(body), &c)
	return string(c.ID)
}

// spanOf is how many blocks a call for logs covers.
func spanOf(body string) int64 {
	var c call
	if err := json.Unmarshal([]byte(body), &c); err != nil || len(c.Params) == 0 {
		return 0
	}
	from, _ := strconv.ParseInt(strings.TrimPrefix(c.Params[0].FromBlock, "0x"), 16, 64)
	to, _ := strconv.ParseInt(strings.TrimPrefix(c.Params[0].ToBlock, "0x"), 16, 64)
	return to - from + 1
}
