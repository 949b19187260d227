package mentions

import (
	"regexp"
	"strings"

	"vivra/app/untrusted"
)

// written is a text of ours as OptsOut reads one of others.
func written(text string) string { return quotes.Replace(untrusted.Bare(untrusted.Normalise(text))) }

// stops are whole messages, or whole clauses of one that has no others.
var stops = append(listed(`
	stop that|quit|cut it out|knock it off|enough|thats enough|cease|get lost|leave me|no thanks|no thank you|not interested|remove me|end
	no more replies|no more tags|no more mentions|no more messages|no more bots|not engage|no replies|no reply please|no bots|no bot|no bot replies|no ai replies|no ai|not reply|not answer
	stopp|aufhören|hör auf|hört auf|hören sie auf|lass das|lass mich|schluss|abmelden|nein danke|keine antworten|keine antwort bitte|keine bots|nicht antworten|antworte nicht|antwortet nicht|antworten sie nicht|nicht mehr antworten|nicht mehr taggen|nicht taggen|lösch mich
	arrête|arrêtez|arrête ça|arrêtez ça|ça suffit|stop ça|non merci|désabonner|désinscription|me désabonner|pas de bots|pas de bot|pas de réponse|ne réponds pas|ne répondez pas
	basta|para|para ya|paren|parad|detente|ya basta|no gracias|cancelar suscripción|darme de baja|dame de baja|sin bots|no bots por favor|no respondas|no respondan|no contestes
	pare|parem|chega|pare com isso|não obrigado|não obrigada|descadastrar|cancelar inscrição|sem bots|não responda|não respondam
	smettila|smettetela|basta così|no grazie|disiscrivimi|niente bot|non rispondere|non rispondete
	hou op|ophouden|stop ermee|nee bedankt|uitschrijven|geen bots|niet antwoorden|antwoord niet|reageer niet|niet reageren
	przestań|przestańcie|dość|nie dziękuję|wypisz mnie|bez botów|nie odpowiadaj|nie odpowiadajcie
	стоп|хватит|прекрати|прекратите|перестань|перестаньте|отстань|отстаньте|отвали|нет спасибо|отписаться|отпиши меня|отпишите меня|без ботов|не отвечай|не отвечайте
	годі|досить|припини|припиніть|відчепись|відчепіться|ні дякую|відписатися|не відповідай|не відповідайте
	dur|durun|yeter|kes şunu|hayır teşekkürler|abonelikten çık|bot istemiyorum|cevap verme|cevap vermeyin
	berhenti|hentikan|cukup|tidak terima kasih|berhenti berlangganan|jangan balas|tanpa bot|dừng lại|dừng|thôi|không cảm ơn|hủy đăng ký|đừng trả lời
	停|停止|停下|够了|夠了|住手|退订|退訂|取消订阅|别烦我|別煩我|不要机器人|不要回复|不要回覆|别回复|別回覆
	やめて|やめてください|止めて|止めてください|停止してください|もういい|配信停止|返信不要|返信しないで|返信しないでください|ボットお断り
	그만|그만해|그만하세요|멈춰|멈춰주세요|구독 취소|수신 거부|수신거부|됐어요|답장하지 마|답장하지 마세요
	توقف|توقفوا|كفى|يكفي|لا شكرا|إلغاء الاشتراك|لا ترد|لا تردوا
	रुको|बंद करो|बस करो|बस|नहीं धन्यवाद|सदस्यता समाप्त|जवाब मत दो|जवाब मत दीजिए`), plainest...)

// plainest are words for which it is enough that they are a whole sentence.
var plainest = listed(`stop|stop it|stop this|stop bot|stop this bot|stop replying|stop responding|stop answering|stop tagging|stop spamming|stop messaging|stop mentioning|quit it
	unsubscribe|unsub|opt out|optout|opt me out|go away|leave me alone|block me|mute me`)

func listed(words string) (all []string) {
	for _, line := range strings.Split(written(words), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, strings.Split(line, "|")...)
		}
	}
	return all
}

// either is written for alternatives on several lines.
func either(words string) string { return strings.ReplaceAll(written(words), "\n", "") }

const (
	acts   = `(?:reply|respond|answer|tag|mention|message|contact|talk|write|dm|spam|ping)`
	acting = `(?:replying|responding|answering|tagg?ing|mentioning|messaging|contacting|bothering|spamming|talking|writing|dming|texting|quoting|pinging|harassing|annoying|following)`
	whom   = `(?:me|us|my \w+|this account)`
)

// leaving are how a sentence begins that says whom to leave alone.
var leaving = begun(
	`(?:stop|quit|cease|no more|mind not) `+acting+` (?:back )?(?:to |at |with |on )?`+whom+`\b`,
	`stop (?:with )?(?:your |these |the |sending (?:me )?)(?:\w+ )?(?:replies|messages|tags|mentions|spam)\b`,
	`(?:do not|dont|never|not|you (?:must|should) (?:not|never)) (?:you )?(?:ever |dare )?`+acts+` (?:back )?(?:to |at |with )?`+whom+`\b`,
	`(?:do not|dont|never) (?:reply|respond|answer|tag|mention|contact|message|engage|bother me)(?: (?:to |with |on |under )?(?:this|my) ?\w*)?(?: please| again| ever)*$`,
	`(?:opt|take|keep|leave|count) (?:me|us) (?:out|off)\b`, `unsubscribe (?:me|us)\b`, `(?:remove|delete|unfollow|untag) (?:me|us)(?: from|$)`, `(?:leave|let) (?:me|us) (?:alone|be$|in peace)`, `(?:block|mute) (?:me|us)(?:$| and| already)`,
	`i (?:want|wish|would like|need)(?: to)? (?:opt out$|unsubscribe|be left alone|to be left alone)`, `id like to (?:opt out$|unsubscribe|be left alone)`, `im opting out$|i opt out$|opting out$`,
	`i (?:do not|dont) want (?:any |your |bot |ai |automated |to get |to receive )*(?:replies|answers|messages|tags|mentions)\b`, `i (?:do not|dont) want (?:to be (?:tagged|mentioned|contacted|messaged|in this)|to hear from you|you to `+acts+`)`, `i didnt ask (?:you|for a reply|for a bot|a bot)`,
	`antworte(?:t|n sie)? mir (?:bitte |ja )?(?:nicht|nie)`, `schreib(?:e|t|en sie)? mir (?:bitte )?nicht`, `(?:hör|hört|hören sie)(?: bitte)? auf (?:mir|mich|uns)\b`, `(?:lass|lasst|lassen sie) (?:mich|uns) (?:bitte )?(?:in ruhe|in frieden)`, `(?:markier|erwähn|tagg?)(?:e|t|en sie)? mich (?:bitte )?nicht`, `(?:blockier|blockiere|blockiert) mich`,
	`je ne veux pas (?:de|vos|tes) réponse`, `no quiero (?:tus |sus |más )?respuestas`,
	`ne (?:me|nous) (?:répond|contact|mentionn|tag|écri)\S* (?:pas|plus|jamais)`, `(?:laisse|laissez|fiche|fichez|fous|foutez) (?:moi|nous) (?:tranquille|la paix|en paix)`, `arrête[zr]? de (?:me|nous) (?:répondre|taguer|mentionner|contacter|écrire|spammer)`, `bloque[z]? moi`,
	`no (?:me|nos) (?:respondas|respondan|contestes|contesten|menciones|mencionen|escribas|escriban|etiquetes|etiqueten)`, `(?:déja|deja|dejen|déje|dejad)(?:me|n?me|n?os)? (?:de (?:responder|etiquetar|escribir|mencionar)(?:me|nos)?$|en paz|tranquil)`, `(?:déjame|dejadme|déjenme|déjeme) (?:de responder|en paz|tranquil)`, `deja de (?:responderme|etiquetarme|escribirme|mencionarme)`, `bloquéame|bloqueame`,
	`não (?:me|nos) (?:responda|marque|mencione|escreva|contate)`, `(?:me deix[ae]m?|deix[ae]m?(?: me)?) em paz`, `pare(?:m)? de (?:me )?(?:responder|marcar|mencionar)(?: me)?`, `(?:me bloqueia|me bloqueie|bloqueia me)`,
	`non (?:rispondermi|mi rispondere|rispondetemi|taggarmi|mi taggare|scrivermi|mi scrivere|contattarmi|menzionarmi)`, `(?:lasciami|lasciatemi) (?:in pace|stare)`, `smett\S+ di (?:rispondermi|taggarmi|scrivermi)`, `bloccami`,
	`(?:laat|laten) (?:me|mij|ons) met rust`, `(?:antwoord|reageer) (?:me |mij )?niet (?:op )?(?:mij|me|meer)`, `stop met (?:mij|me) `, `tag (?:me|mij) niet`, `blokkeer (?:me|mij)`,
	`nie (?:odpowiadaj|pisz|odpisuj|odpowiadajcie|piszcie) (?:do )?mn?i`, `nie oznaczaj(?:cie)? mnie`, `zostaw(?:cie)? mnie`, `daj(?:cie)? mi spokój`, `zablokuj(?:cie)? mnie`,
	`не (?:отвечай|отвечайте|пиши|пишите) мне`, `мне не (?:отвечай|отвечайте|пиши|пишите)`, `не (?:упоминай|упоминайте|тегай|тегайте|отмечай|отмечайте|беспокой|беспокойте) меня`, `оставь(?:те)? меня в покое`, `(?:прекрати|прекратите|перестань|перестаньте|хватит) (?:мне )?(?:отвечать|писать)(?: мне|$)`, `заблокируй(?:те)? меня`,
	`не (?:відповідай|відповідайте|пиши|пишіть) мені`, `не (?:згадуй|згадуйте|тегай|тегайте) мене`, `залиш(?:те)? мене (?:в спокої|у спокої)`, `заблокуй(?:те)? мене`,
	`bana (?:cevap verme|cevap vermeyin|yazma|yazmayın|mesaj atma)(?: |$)`, `beni (?:rahat bırak|etiketleme|engelle)`,
	`(?:tolong )?jangan (?:balas|tag|sebut|ganggu|hubungi) (?:saya|aku)`, `(?:blokir|blok) (?:saya|aku)`, `(?:xin )?đừng (?:trả lời|nhắn|nhắn tin|gắn thẻ|làm phiền)(?: cho)? tôi`, `để tôi yên`, `chặn tôi`,
	`(?:请|請|拜托)?(?:你)?(?:不要|别|別)(?:再)?\s?(?:回复|回覆|艾特|tag|打扰|打擾|联系|提到|烦|煩)\s?我`, `(?:请|請)?(?:屏蔽|拉黑|封鎖)我`, `(?:请|請)?(?:离|離)我(?:远|遠)`,
	`(?:私に|もう)*(?:返信|メンション|リプ)(?:は|を)?しないで(?:ください|下さい)?$`, `(?:放っておいて|ほっといて|ブロックして)`, `(?:저|나|저한테|나한테|제게)?\s?(?:답장|멘션|태그|연락)하지\s?(?:마|말)`, `(?:저를|나를|날|절)?\s?(?:내버려\s?둬|차단해)`,
	`لا (?:ترد|تردوا|تكتب|ترسل) (?:علي|لي|إلي)`, `(?:اتركني|دعني|اتركوني|دعوني)(?: وشأني| و شأني|$)`, `احظرني`, `(?:कृपया )?मुझे (?:जवाब|टैग|मैसेज) (?:मत|न|ना)`, `(?:कृपया )?मुझे (?:अकेला छोड़|ब्लॉक)`,
)

func begun(patterns ...string) (all []*regexp.Regexp) {
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(`^(?:`+written(p)+`)`))
	}
	return all
}

// The courtesies, and what else stands around an order.
var (
	before = regexp.MustCompile(`^(?:(?:` + either(`please|pls|plz|kindly|ok|okay|hey|hi|hello|yo|gm|oi|bot|bots|bro|dude|man|sir|guys|admin|dear|just|now|again|once again|sorry|well|and|but|so|then|also|lol|seriously|for the last time|i said|i told you to|i asked you to|i want you to|i need you to|id like you to|i beg you to|you need to|you must|you should|you can|lets|can you|could you|would you|will you|can u|could u|thanks|thank you|ty|thx|
bitte|doch|mal|danke|por favor|gracias|sil vous plaît|sil te plaît|svp|stp|merci|per favore|grazie|alsjeblieft|alstublieft|aub|proszę|пожалуйста|прошу|спасибо|будь ласка|прошу вас|lütfen|tolong|mohon|xin|làm ơn|vui lòng|请|請|お願い|どうか|제발|من فضلك|رجاء|कृपया`) + `)\s+)+`)
	behind = regexp.MustCompile(`(?:\s(?:` + either(`please|pls|plz|thanks|thank you|thx|ty|ok|okay|now|right now|already|anymore|any more|ever|again|at once|immediately|today|for good|forever|bot|bots|bro|dude|man|sir|guys|lol|
bitte|danke|jetzt|sofort|endlich|por favor|porfa|gracias|ya|sil vous plaît|sil te plaît|svp|stp|merci|maintenant|obrigado|agora|per favore|grazie|ora|subito|alsjeblieft|alstublieft|aub|nu|proszę|już|teraz|пожалуйста|уже|спасибо|будь ласка|lütfen|artık|tolong|dong|đi|làm ơn|吧|お願いします|제발|من فضلك|رجاء|कृपया`) + `))\s*$`)
)
