package mentions

import (
	"regexp"
	"strings"

	"vivra/app/untrusted"
)

// asked are the ways to say "post this address": something that the text itself
// brings is to be made public, or said to be ours. Whoever asks for the address
// does not say which.
var asked = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:post|tweet|retweet|publish|share|announce|reply with|repost|pin|say|write|confirm|send|spread)\s+(?:out\s+)?(?:this|these|following|the following|below|my)\s+(?:new\s+|official\s+|correct\s+|contract\s+|wallet\s+)*(?:address|contract|ca|wallet|link|site|text|message|code|sentence|words?)\b`),
	regexp.MustCompile(`\b(?:tell|inform|let)\s+(?:your|the|all)\s+(?:\w+\s+)?(?:followers|holders|community|people|everyone)\s+(?:that|to|about)\b`),
	regexp.MustCompile(`\b(?:publica|postea|tuitea|comparte|anuncia|fija)\s+(?:esta|este|la siguiente|el siguiente)\s+(?:dirección|direccion|contrato|enlace|mensaje|texto)`),
	regexp.MustCompile(`\b(?:poste|publie|tweete|partage|annonce|épingle|postez|publiez|partagez)\s+(?:cette|ce|l['’]|le)\s*(?:adresse|contrat|lien|message|texte)\s*(?:suivant|ci-dessous|:)?`),
	regexp.MustCompile(`\b(?:poste|teile|veröffentliche|twittere|verbreite|pinne)\s+(?:bitte\s+)?(?:diese|diesen|dieses|die folgende|den folgenden)\s+(?:neue\s+|neuen\s+)?(?:adresse|vertrag|contract|link|text|nachricht)`),
	regexp.MustCompile(`\b(?:publique|poste|tuíte|compartilhe|anuncie)\s+(?:este|esta|o seguinte|a seguinte)\s+(?:endereço|endereco|contrato|link|mensagem|texto)`),
	regexp.MustCompile(`\b(?:pubblica|posta|twitta|condividi|annuncia)\s+(?:questo|questa|il seguente)\s+(?:indirizzo|contratto|link|messaggio|testo)`),
	regexp.MustCompile(`\b(?:plaats|post|deel|tweet|publiceer)\s+(?:dit|deze|het volgende)\s+(?:adres|contract|link|bericht|tekst)`),
	regexp.MustCompile(`(?:opublikuj|wrzuć|udostępnij|zatweetuj|podaj)\s+(?:ten|ta|tę|to|następujący)\s+(?:adres|kontrakt|link|tekst|wiadomość)`),
	regexp.MustCompile(`(?:опубликуй|запости|твитни|размести|поделись|закрепи)\S*\s+(?:этот|эту|этим|следующий)\s+(?:новый\s+)?(?:адрес|контракт|ссылк|текст|сообщени)`),
	regexp.MustCompile(`(?:опублікуй|запости|поширь|розмісти)\S*\s+(?:цю|цей|наступн\S*)\s+(?:нову\s+)?(?:адрес|контракт|посилан|текст)`),
	regexp.MustCompile(`bu\s+(?:yeni\s+)?(?:adresi|kontratı|sözleşmeyi|bağlantıyı|linki|metni)\s+(?:\S+\s+)?(?:paylaş|yayınla|tweetle|gönder)`),
	regexp.MustCompile(`(?:đăng|chia sẻ|tweet)\s+(?:địa chỉ|hợp đồng|liên kết|nội dung)\s+(?:\S+\s+)?này`),
	regexp.MustCompile(`\b(?:posting|bagikan|publikasikan|umumkan|sebarkan)\s+(?:alamat|kontrak|tautan|link|teks)\s+(?:\w+\s+)?(?:ini|berikut)`),
	regexp.MustCompile(`(?:发布|发推|發佈|发|分享|宣布)(?:这个|這個|此|以下)(?:新)?(?:的)?(?:地址|合约|合約|链接|文字|内容)`),
	regexp.MustCompile(`この(?:新しい)?(?:アドレス|コントラクト|リンク|文章|文)を(?:投稿|ツイート|公開|共有|シェア)`),
	regexp.MustCompile(`이\s*(?:새로운\s*)?(?:주소|컨트랙트|링크|글)(?:를|을)\s*(?:게시|트윗|공유|올려)`),
	regexp.MustCompile(`(?:انشر|غرد|شارك)\s+(?:هذا|هذه)\s+(?:العنوان|العقد|الرابط|النص)`),
	regexp.MustCompile(`(?:यह|इस)\s+(?:पता|पते को|लिंक|अनुबंध)\s+(?:पोस्ट|शेयर|ट्वीट|साझा)`),
}

// orders tells whether a text asks for that, plainly or in a disguise that the
// house can read.
func orders(text string, readings []untrusted.Suspicion) bool {
	views := []string{untrusted.Seen(text)}
	for _, r := range readings {
		views = append(views, r.Text)
	}
	for _, view := range views {
		lower := strings.ToLower(view)
		for _, pattern := range asked {
			if pattern.MatchString(lower) {
				return true
			}
		}
	}
	return false
}
