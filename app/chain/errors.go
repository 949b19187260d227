package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// failed names what went wrong with the endpoint. Its URL may hold a key, so
// it is never part of the text.
func failed(what string, err error) error {
	var (
		status  rpc.HTTPError
		network *url.Error
		refusal rpc.Error
		syntax  *json.SyntaxError
		known   *app.Error
	)
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", what, context.Canceled)
	case errors.As(err, &status):
		return app.Errorf(app.Unavailable, "The RPC endpoint answered %d %s (%s).", status.StatusCode, http.StatusText(status.StatusCode), what)
	case errors.As(err, &network):
		return app.Errorf(app.Unavailable, "The RPC endpoint could not be reached (%s): %v.", what, network.Err)
	case errors.As(err, &refusal):
		return app.Errorf(app.Unavailable, "The RPC endpoint refused to %s: %s (code %d).", what, short(refusal.Error()), refusal.ErrorCode())
	case errors.As(err, &syntax):
		return app.Errorf(app.Unavailable, "The RPC endpoint answered something that is not JSON (%s).", what)
	}
	return app.Errorf(app.Unavailable, "The RPC endpoint failed (%s): %s.", what, short(err.Error()))
}

// reverted tells whether the contract itself refused a call, which says
// something about the contract and nothing about the endpoint.
func reverted(err error) bool {
	var refusal rpc.Error
	if !errors.As(err, &refusal) {
		return false
	}
	if code := refusal.ErrorCode(); code == 3 || code == -32015 {
		return true
	}
	text := strings.ToLower(refusal.Error())
	for _, sign := range []string{"revert", "invalid opcode", "out of gas", "stack underflow", "invalid jump"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// refusedByNode tells whether the node answered, but not with what was asked:
// a smaller question may do.
func refusedByNode(err error) bool {
	var status rpc.HTTPError
	var refusal rpc.Error
	return errors.As(err, &refusal) || errors.As(err, &status) && status.StatusCode != http.StatusUnauthorized && status.StatusCode != http.StatusForbidden
}

func short(text string) string {
	const most = 200
	text = strings.ToValidUTF8(text, "\uFFFD")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
