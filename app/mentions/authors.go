package mentions

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"vivra/app/untrusted"
)

// OptsOut tells whether an author asks to be left alone: by one of the words
// for it alone, or in a phrase that says whom to leave.
func OptsOut(text string) bool {
	said := strings.ToLower(words(untrusted.Normalise(text)))
	return slices.Contains(stops, strings.Trim(said, " .!¡…。！")) || slices.ContainsFunc(phrases, func(p *regexp.Regexp) bool { return p.MatchString(said) })
}

// stops are whole messages.
var stops = []string{"stop", "stop it", "stop please", "please stop", "stop bot", "unsubscribe", "opt out", "optout", "opt-out", "go away", "leave me alone", "no thanks",
	"stopp", "aufhören", "hör auf", "lass mich in ruhe", "lasst mich in ruhe", "arrête", "arrete", "arrêtez", "basta", "para", "déjame en paz", "dejame en paz", "pare", "smettila",
	"lasciami in pace", "hou op", "laat me met rust", "przestań", "стоп", "хватит", "отстань", "отстаньте", "dur", "beni rahat bırak", "berhenti", "dừng lại", "停", "停止", "别烦我", "別煩我",
	"やめて", "やめてください", "停止してください", "그만", "멈춰", "توقف", "रुको", "बंद करो"}

var phrases = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:stop|quit)\s+(?:replying|responding|answering|tagging|mentioning|messaging|contacting|bothering|spamming|@ing)\b.{0,12}\b(?:me|us)\b`),
	regexp.MustCompile(`\b(?:do not|don['’]?t|dont|never|please do not)\s+(?:ever\s+)?(?:reply|respond|answer|tag|mention|message|contact|talk)\s+(?:to\s+)?(?:me|us)\b`),
	regexp.MustCompile(`\b(?:opt(?:ing)?[\s-]?(?:me\s+)?out|unsubscribe|remove me from|leave me alone|leave us alone)\b`),
	regexp.MustCompile(`\b(?:no|nicht)\s+(?:bot\s+)?repl(?:y|ies)\b|\bno bots? please\b`),
	regexp.MustCompile(`antworte?t?\s+mir\s+nicht|schreib\S*\s+mir\s+nicht|lass(?:t)?\s+mich\s+in\s+ruhe`),
	regexp.MustCompile(`ne\s+(?:me\s+)?r[ée]pond\S*\s+(?:pas|plus)|laisse[z-]*\s*moi\s+tranquille|arr[êe]te[zr]?\s+de\s+(?:me\s+)?r[ée]pondre`),
	regexp.MustCompile(`no\s+me\s+(?:respondas|contestes|menciones|escribas)|d[ée]ja(?:me)?\s+(?:de\s+responder|en\s+paz)`),
	regexp.MustCompile(`não\s+me\s+(?:responda|marque|mencione)|me\s+deix[ea]\s+em\s+paz`),
	regexp.MustCompile(`non\s+(?:mi\s+)?rispond\S*\s*(?:mi)?|lasciami\s+in\s+pace`),
	regexp.MustCompile(`nie\s+odpowiadaj\s+mi|zostaw\s+mnie`),
	regexp.MustCompile(`не\s+(?:отвечай|отвечайте|пиши|пишите|упоминай)\S*\s+мне|не\s+упоминай\S*\s+меня|оставь(?:те)?\s+меня\s+в\s+покое`),
	regexp.MustCompile(`bana\s+(?:cevap\s+verme|yazma)|beni\s+rahat\s+bırak`),
	regexp.MustCompile(`jangan\s+(?:balas|tag|sebut)\s+saya|đừng\s+(?:trả lời|nhắn|gắn thẻ)\s+tôi`),
	regexp.MustCompile(`(?:不要|别|別)(?:再)?(?:回复|回覆|艾特|@|打扰|打擾)我|返信しないで|メンションしないで|답장하지\s*마|멘션하지\s*마|لا\s+ترد\s+علي|मुझे\s+(?:जवाब|टैग)\s+मत`),
}

// words is a text without the names and links in it.
func words(text string) string {
	return strings.Join(strings.Fields(handles.ReplaceAllString(links.ReplaceAllString(text, " "), " ")), " ")
}

var handles = regexp.MustCompile(`[@＠][A-Za-z0-9_]{1,20}`)

const (
	// manyNamed is how many accounts a mention names that is meant for none.
	manyNamed = 6
	// manyToday is how often an author names us within a day who is no person.
	manyToday = 12
	// manyCopies is how many others wrote the same within a day.
	manyCopies = 2
	// youngAccount is the age of an account that nobody follows yet.
	youngAccount = 48 * time.Hour
)

// likelyBot tells whether a mention was probably not written by a person for
// us: it names many accounts at once, others wrote the very same, its author
// names us without end, says to be a program, or was made just now and is
// followed by nobody. Each errs on the side of a person: who is taken for a bot
// is only not answered.
func likelyBot(p Post) bool {
	if p.Named >= manyNamed || p.Today >= manyToday || p.Copies >= manyCopies && len([]rune(words(p.Text))) >= 20 {
		return true
	}
	a := p.Author
	if a == nil {
		return false
	}
	young := a.JoinedAt != nil && p.WrittenAt.Sub(*a.JoinedAt) < youngAccount && a.Followers == 0
	return young || botName.MatchString(a.Username) || botWords.MatchString(strings.ToLower(untrusted.Fold(a.Name+" "+a.Bio)))
}

var (
	botName  = regexp.MustCompile(`(?:^|_)[Bb][Oo][Tt]\d*$|[a-z0-9]B(?:ot|OT)\d*$`)
	botWords = regexp.MustCompile(`\b(?:automated (?:account|by|posts?|replies)|auto[ -]?reply(?:ing)? (?:bot|account)|i am an? (?:\w+ )?bot|an? ai agent\b|autonomous (?:ai )?agent)\b`)
)
