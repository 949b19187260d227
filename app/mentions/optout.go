package mentions

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"vivra/app/untrusted"
)

// OptsOut tells whether an author asks to be left alone: the whole message, or
// for the plainest words a whole sentence of it, is a word for that, courtesies
// aside; or a sentence that is no question begins, behind a mark or a courtesy,
// by telling us to leave the author alone. A question counts only where it is a
// request ("can you stop tagging me?").
func OptsOut(text string) bool {
	whole, said := true, false
	for _, s := range sentences(text) {
		if stop, _ := stopWord(strings.Join(s.clauses[:min(longest, len(s.clauses))], " "), plainest); stop && !s.question {
			return true
		}
		for i, clause := range s.clauses {
			rest := strings.Join(s.clauses[i:min(i+longest, len(s.clauses))], " ")
			if asks := request.MatchString(rest); s.question && !asks || s.told && i > 0 {
				whole = false
				continue
			}
			if tells(rest) {
				return true
			}
			stop, nothing := stopWord(clause, stops)
			whole, said = whole && (stop || nothing), said || stop
		}
	}
	return whole && said
}

// tells tells whether what is left of a sentence begins with such an order.
func tells(rest string) bool {
	rest = before.ReplaceAllString(rest, "")
	return slices.ContainsFunc(leaving, func(p *regexp.Regexp) bool { return p.MatchString(rest) })
}

// stopWord tells whether a clause is on a list, courtesies aside, or
// nothing but courtesies.
func stopWord(clause string, list []string) (stop, nothing bool) {
	clause = strings.TrimSpace(before.ReplaceAllString(clause+" ", ""))
	for !slices.Contains(list, clause) {
		shorter := strings.TrimSpace(behind.ReplaceAllString(" "+clause, ""))
		if shorter == clause {
			return false, clause == ""
		}
		clause = shorter
	}
	return true, false
}

// sentence is one of a text, in lower case, without accents and marks.
type sentence struct {
	clauses  []string
	question bool
	told     bool // it says what others do: "you post, but never reply to me"
}

func sentences(text string) (all []sentence) {
	for _, part := range ended.FindAllString(plainly(text), -1) {
		s := sentence{question: strings.ContainsAny(part, "?؟")}
		for _, clause := range paused.Split(part, -1) {
			if clause = strings.Join(strings.FieldsFunc(clause, noWord), " "); clause != "" {
				s.clauses = append(s.clauses, clause)
			}
		}
		if n := len(s.clauses); n > 0 {
			s.question = s.question && !tag.MatchString(s.clauses[n-1])
			s.told = telling.MatchString(s.clauses[0])
			all = append(all, s)
		}
	}
	return all
}

// plainly is a text as the words below are written: names and links gone, and
// "@me" read out.
func plainly(text string) string {
	text = atMe.ReplaceAllString(strings.ToLower(untrusted.Normalise(text)), " tag$1 $2")
	return long.ReplaceAllString(quotes.Replace(untrusted.Bare(words(lines.Replace(text)))), "stop")
}

func noWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// longest is how many clauses an order goes over.
const longest = 3

var (
	ended   = regexp.MustCompile(`[^.!?؟。\n]*[.!?؟。\n]*`)
	paused  = regexp.MustCompile(`[,،、:;—–()]|\s(?:but|and)\s`)
	atMe    = regexp.MustCompile(`@\s?(ing)? ?(me\b|我)`)
	long    = regexp.MustCompile(`\b(?:sto+p+|stahp)(?:\s+sto+p+)*\b`)
	lines   = strings.NewReplacer("\n", " . ")
	quotes  = strings.NewReplacer("'", "", "’", "", "ʼ", "")
	tag     = regexp.MustCompile(`(?:^|\s)(?:ok|okay|will you|would you|can you|could you|understood|got it|alright|right|yeah|please|thanks|deal|fair|ja|vale|ok bitte|dacord|capito)$`)
	telling = regexp.MustCompile(`^(?:you|u|ya|they|we|he|she|it|who|why|how|what|when|devs|mods|admins|team|the \w+|people|nobody|everyone)\b`)
	request = regexp.MustCompile(`^(?:please |pls )?(?:can|could|would|will) (?:you|u|ya)\b`)
)
