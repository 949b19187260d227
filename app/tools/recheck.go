package tools

import (
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
)

// Recheck holds a payload that a person has written to the rules of the tool
// that proposes its kind: it returns what is seen before deciding on it, or why
// it may not go out, naming the field. said is what History says of the scope.
func Recheck(scope agent.Scope, publicURL string, payload any, said []app.Said) (app.Risk, error) {
	if !belongs(scope, payload) {
		return app.Risk{}, app.Errorf(app.Invalid, "The operation's account, group or token is another one since this was written. Reject it: the next draft is written anew.")
	}
	g := GuardOf(scope, publicURL)
	g.Said = said
	switch p := payload.(type) {
	case app.PostPayload:
		return g.post(p)
	case app.ThreadPayload:
		return g.thread(p)
	case app.PollPayload:
		return g.poll(p)
	case app.ProfilePayload:
		return g.profile(p)
	case app.TelegramSetupPayload:
		return g.group(p)
	case app.DossierPayload:
		return g.dossier(p)
	}
	return app.Risk{}, fmt.Errorf("check an edit: a %T is no payload that can be edited", payload)
}

// belongs tells whether a payload goes where the operation of scope is.
func belongs(scope agent.Scope, payload any) bool {
	account, chat, official := scope.XHandle, scope.TelegramChat, scope.Token.Ref.Address.Hex()
	switch p := payload.(type) {
	case app.PostPayload:
		account = p.Account
	case app.ThreadPayload:
		account = p.Account
	case app.PollPayload:
		if account = p.Account; p.TelegramChat != 0 {
			chat = p.TelegramChat
		}
	case app.ProfilePayload:
		account = p.Account
	case app.TelegramSetupPayload:
		chat, official = p.Chat, p.OfficialAddress
	}
	return account == scope.XHandle && chat == scope.TelegramChat && preflight.Official(official, scope.Token.Ref.Address.Hex())
}
