package telegram_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"vivra/app/telegram"
)

func TestDecodeUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw  string
		want telegram.Update
	}{
		"text": {`{"update_id":10001,"message":{"message_id":501,"from":{"id":5001,"is_bot":false,"first_name":"Ann","username":"ann"},
			"chat":{"id":-1001000000001,"type":"supergroup"},"date":1796000000,"text":"wen?","reply_to_message":{"message_id":7,"from":{"id":99}}}}`,
			telegram.Update{ID: 10001, Kind: "message", ChatID: -1001000000001, MessageID: 501, ReplyTo: 7, ReplyToFrom: 99, FromID: 5001,
				FromName: "@ann", Date: time.Unix(1796000000, 0).UTC(), Text: "wen?"}},
		"caption": {`{"update_id":2,"edited_message":{"message_id":1,"from":{"id":3,"first_name":"C","last_name":"D"},"chat":{"id":-1},"caption":"QR"}}`,
			telegram.Update{ID: 2, Kind: "edited_message", ChatID: -1, MessageID: 1, FromID: 3, FromName: "C D", Text: "QR"}},
		"member of an odd shape": {`{"update_id":3,"message":{"message_id":1,"from":"nobody","chat":{"id":-1},"text":"a","date":"soon"}}`,
			telegram.Update{ID: 3, Kind: "message", ChatID: -1, MessageID: 1, Text: "a"}},
		"callback": {`{"update_id":4,"callback_query":{"id":"43","from":{"id":6,"first_name":"N"},"message":{"message_id":600,"chat":{"id":-1},"date":1},"data":"x"}}`,
			telegram.Update{ID: 4, Kind: "callback_query", ChatID: -1, MessageID: 600, FromID: 6, FromName: "N"}},
		"poll": {`{"update_id":5,"poll":{"id":"9001","options":[{"text":"A","voter_count":3},{"text":"B","voter_count":5}],"is_closed":true}}`,
			telegram.Update{ID: 5, Kind: "poll", Poll: &telegram.Poll{ID: "9001", Options: []string{"A", "B"}, Votes: []int{3, 5}, Closed: true}}},
		"unknown kind": {`{"update_id":6,"hologram":{"deep":[{"er":1}]},"extra":7}`, telegram.Update{ID: 6, Kind: "hologram"}},
		"nothing else": {`{"update_id":7}`, telegram.Update{ID: 7}},
	} {
		got, err := telegram.DecodeUpdate([]byte(c.raw))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	for _, raw := range []string{"", "[]", `{"message":{}}`, `{"update_id":"x"}`, "<html>"} {
		if _, err := telegram.DecodeUpdate([]byte(raw)); err == nil {
			t.Errorf("%q was taken", raw)
		}
	}
}

func TestErrorsHoldNoToken(t *testing.T) {
	t.Parallel()
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer slow.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]struct {
		base    string
		unknown bool
	}{
		"nobody there": {gone.URL, false},
		"no answer":    {slow.URL, true},
		"no URL":       {"http://[::1", false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := telegram.New(telegram.Config{BaseURL: c.base, Token: "77:SECRET"}).SendMessage(ctx, 1, "a")
		cancel()
		if err == nil || strings.Contains(err.Error(), "SECRET") || telegram.Unknown(err) != c.unknown {
			t.Errorf("%s: unknown is %v for %v", name, telegram.Unknown(err), err)
		}
	}
}
