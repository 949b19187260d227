package preflight

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"regexp"
	"strings"
	"unicode"
)

var (
	base58Run = regexp.MustCompile(`[1-9A-HJ-NP-Za-km-z]{26,44}`)
	anyBech32 = regexp.MustCompile(`(?i)\b(?:[a-z]{2,10}1[02-9ac-hj-np-z]{38,}|[qp][02-9ac-hj-np-z]{41})\b`)
	base32Run = regexp.MustCompile(`\b[A-Z2-7]{55,}\b`)
	xdc       = regexp.MustCompile(`(?i)\bxdc[0-9a-f]{40}\b`)
	bech32    = regexp.MustCompile(`(?i)\b(?:bc|tb|ltc|addr|cosmos|osmo)1[02-9ac-hj-np-z]{25,90}\b`)
	ton       = regexp.MustCompile(`\b[EUk0]Q[A-Za-z0-9_-]{46}`)
)

// foreign returns the accounts of other chains: Bitcoin and TRON by their
// checksum, Solana by its length, TON and the like by their form.
func foreign(text string) (found []string) {
	text = longRuns(text)
	if text == "" {
		return nil
	}
	for _, at := range base58Run.FindAllStringIndex(text, -1) {
		run := text[at[0]:at[1]]
		whole := !inWord(text, at[0]-1) && !inWord(text, at[1])
		if whole && isAccount(run) {
			found = append(found, run)
		}
	}
	found = append(found, bech32.FindAllString(text, -1)...)
	found = append(found, xdc.FindAllString(text, -1)...)
	for _, form := range []*regexp.Regexp{anyBech32, base32Run} {
		for _, run := range form.FindAllString(text, -1) {
			if strings.ContainsAny(run, "23456789") && different(run) >= 12 {
				found = append(found, run)
			}
		}
	}
	for _, run := range ton.FindAllString(text, -1) {
		if mixed(run) {
			found = append(found, run)
		}
	}
	return found
}

// shortAccount is how many letters and digits an account has at least.
const shortAccount = 26

// longRuns are the runs of letters and digits that could be an account.
func longRuns(text string) string {
	var runs []string
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (isWord(rune(text[i])) || text[i] == '-') {
			continue
		}
		if i-start >= shortAccount {
			runs = append(runs, text[start:i])
		}
		start = i + 1
	}
	return strings.Join(runs, " ")
}

// inWord tells whether a letter or a digit stands at i.
func inWord(text string, i int) bool {
	return i >= 0 && i < len(text) && isWord(rune(text[i])) && text[i] != '_'
}

func isAccount(run string) bool {
	raw := fromBase58(run)
	switch len(raw) {
	case 25: // Bitcoin, TRON, Dogecoin: a version, 20 bytes and a checksum
		sum := sha256.Sum256(raw[:21])
		sum = sha256.Sum256(sum[:])
		return bytes.Equal(sum[:4], raw[21:])
	case 27: // Tezos, by the same checksum
		sum := sha256.Sum256(raw[:23])
		sum = sha256.Sum256(sum[:])
		return bytes.Equal(sum[:4], raw[23:])
	case 32:
		return mixed(run) && different(run) >= 12
	}
	return false
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func fromBase58(run string) []byte {
	n := new(big.Int)
	for _, r := range run {
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(strings.IndexRune(base58, r))))
	}
	zeros := len(run) - len(strings.TrimLeft(run, "1"))
	return append(make([]byte, zeros), n.Bytes()...)
}

// mixed tells whether a run looks random: both cases and a digit.
func mixed(run string) bool {
	return strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run, unicode.IsLower) && strings.ContainsFunc(run, unicode.IsDigit)
}

func different(run string) int {
	seen := map[rune]bool{}
	for _, r := range run {
		seen[r] = true
	}
	return len(seen)
}
