package preflight

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vivra/app/untrusted"
)

// The longest name that is taken for no more than one: two words such as Moth
// Lamp, fewer characters where each can be a word.
const (
	longestName     = 24
	wordsOfName     = 2
	longestUnspaced = 5
)

// OnlyName tells whether what somebody outside called a token, or its symbol, is
// so short and plain that it can't ask for anything: one or two words of
// letters, none of which orders, addresses or names what our agents work with.
// Whatever else is called so may be read as more than a name.
func OnlyName(name string) bool {
	if name = strings.TrimPrefix(name, "$"); name == "" {
		return true
	}
	said := wordsOfCase(name)
	return utf8.RuneCountInString(name) <= longestName && len(strings.Split(name, " ")) <= wordsOfName && unspaced(name) <= longestUnspaced &&
		!strings.ContainsFunc(name, noLetter) && !slices.ContainsFunc(said, func(w string) bool { return orderWords[w] }) &&
		!holdsOrder(strings.Join(said, "")) && PlainWords(name, longestName)
}

func noLetter(r rune) bool { return r != ' ' && !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) }

// unspaced is how many characters a name has of scripts without blanks.
func unspaced(name string) (n int) {
	for _, r := range name {
		if unicode.In(r, blankless...) {
			n++
		}
	}
	return n
}

// wordsOfCase are the words of a name, of SendItAll too, as a hurried reader
// takes them.
func wordsOfCase(name string) []string {
	var apart strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			apart.WriteByte(' ')
		}
		apart.WriteRune(r)
		lower = unicode.IsLower(r)
	}
	return strings.Fields(hurried(apart.String()))
}

func hurried(text string) string {
	return strings.ToLower(untrusted.Bare(untrusted.Fold(strings.ToLower(text))))
}

func holdsOrder(letters string) bool {
	return slices.ContainsFunc(orderStems, func(stem string) bool { return strings.Contains(letters, stem) })
}

// orderWords are no part of a name as whole words, orderStems in no place.
var (
	orderWords = setOf(hurried(`say tell ask post send sent pay paid buy sell swap mint burn give take use run call go do let make must should shall will can may note now please pls stop skip drop add set put pin ban read write
		sign show print open visit click join vote act obey heed trust only all any every no not never always you your we our us me my i it this that is are be to from with and or if then as rule rules order orders task tasks tool tools
		user role admin owner mod team dev ceo human agent agents bot ai gpt model cap budget safe real new old fake scam rug free url link ca sys sudo root eval exec null true false`))
	orderStems = strings.Fields(hurried(`ignor disregard overrid bypass overrul forget follow execut approv publish tweet retweet transfer withdraw deposit claim airdrop migrat reply repli respond answer announc reveal delet remov replac
		grant allow enabl disabl unlock confirm verif accept reject promis guarant urgent import warning instruct prompt policy polici directive guideline limit budget system operator assistant develop moderat official address contract wallet
		private secret password seedphras everyon everyth holders previous above anything nothing pretend insist repeat output finish
		vergiss missacht anweis regeln veroffentlich genehmig sende kaufe oublie consigne publie envoie approuve achete olvida reglas publica envia aprueba compra instruc esque regras aprove dimentica regole pubblica approva invia istruz
		negeer vergeet regels plaats stuur goedkeur zignor zapomnij zasad opublik wyslij zatwierdz abaikan lupakan aturan kirim setujui perintah yoksay talimat kural gonder onayla paylas boqua huongdan lenh
		игнор забуд отброс опублик напиши скажи отправ переведи купи одобри правил инструкц указан команд систем ігнор надішли схвали вказівк
		忽略 无视 無視 忘记 忘れ 发布 發布 投稿 发送 發送 送信 转账 購買 购买 规则 規則 指令 指示 命令 系统 系統 必须 必須 告诉 批准 承認 ルール ください せよ しろ 무시 잊어 게시 보내 지시 규칙 명령 승인 하세요 해라
		تجاهل انشر أرسل وافق تعليمات أوامر अनदेखा भेज निर्देश प्रकाशित`))
)
