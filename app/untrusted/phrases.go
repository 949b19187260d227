package untrusted

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// steering are the phrases by which a text tries to command who reads it. They
// are held against folded text in lower case.
var steering = compiled(
	// Rules are to be set aside.
	`ignore,disregard,override,bypass,overrule,forget => (?:ignore|disregard|override|bypass|overrule|forget)\s+(?:\w+\s+){0,3}?(?:all|any|previous|prior|above|earlier|preceding|your|these|those|every|existing|current|safety)\s+(?:\w+\s+){0,3}?(?:instruction|rule|prompt|direction|guideline|order|directive|restriction|polic|safeguard|guardrail|programming)`,
	`ignorier,missachte,vergiss => (?:ignoriere?|missachte|vergiss)\w*\s+(?:\w+\s+){0,3}?(?:alle|bisherigen|vorherigen|vorigen|obigen|deine)\s+(?:\w+\s+){0,2}?(?:anweisung|regel|vorgabe|befehl|instruktion)`,
	`ignore,oublie => (?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,2}?(?:les|tes|vos|ces)\s+(?:\w+\s+)?(?:instruction|consigne|règle|regle|directive)`,
	`ignora,ignore,olvid => (?:ignora|ignore|olvida|olvide)d?\s+(?:\w+\s+){0,2}?(?:las|tus|sus|estas)\s+(?:instrucci|regla|orden|indicaci)`,
	`ignore,esque,esqueç => (?:ignore|esqueça|esqueca)\s+(?:\w+\s+){0,2}?(?:as|suas|essas)\s+(?:\w+\s+)?(?:instruç|instruc|regra|orden)`,
	`ignora,dimentica => (?:ignora|dimentica)\s+(?:\w+\s+){0,2}?(?:le|tue|queste)\s+(?:istruzion|regol)`,
	`negeer,vergeet => (?:negeer|vergeet)\s+(?:\w+\s+){0,2}?(?:alle|vorige|eerdere|je)\s+(?:\w+\s+)?(?:instructie|regel|opdracht)`,
	`zignoruj,zapomnij => (?:zignoruj|zapomnij)\s+(?:\S+\s+){0,3}?(?:instrukcj|polece|zasad|reguł)`,
	`abaikan,lupakan => (?:abaikan|lupakan)\s+(?:\w+\s+){0,2}?(?:instruksi|perintah|aturan)`,
	`bỏ qua => bỏ qua\s+(?:\S+\s+){0,3}?(?:hướng dẫn|chỉ dẫn|lệnh|quy tắc)`,
	`önceki,yukarıdaki,tüm => (?:önceki|yukarıdaki|tüm)\s+(?:\S+\s+){0,2}?(?:talimat|kural|komut)\S*\s+(?:\S+\s+)?(?:yok say|unut|görmezden)`,
	`игнорируй,забудь,отбрось => (?:игнорируй|проигнорируй|забудь|отбрось)\S*\s+(?:\S+\s+){0,3}?(?:инструкц|правил|указани|команд)`,
	`ігноруй,забудь => (?:ігноруй|забудь)\S*\s+(?:\S+\s+){0,3}?(?:інструкц|правил|вказівк)`,
	`忽略 => 忽略.{0,12}(?:指令|指示|规则|規則|提示|命令)`,
	`無視,忘れ => (?:指示|命令|ルール|プロンプト).{0,6}(?:無視|忘れ)`,
	`무시,잊어 => (?:지시|명령|규칙|프롬프트).{0,8}(?:무시|잊어)`,
	`تجاهل => تجاهل\s+(?:\S+\s+){0,3}?(?:التعليمات|الأوامر|القواعد|تعليمات)`,
	`निर्देश => निर्देशों?\s+(?:\S+\s+){0,2}?(?:अनदेखा|नज़रअंदाज़|भूल)`,
	// Somebody poses as who may command.
	`human,assistant,system => (?m)^\s*(?:human|assistant)\s*:|(?:^|@\w+)\s*system\s*(?:\(.{0,30}\))?\s*:`,
	`<,[inst],[/inst],## => <\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?untrusted\b|</?(?:system|instructions?)>|#{2,}\s*(?:system|instruction)`,
	`system,instructions => \bsystem\s+(?:prompt|override|notice|instruction)s?\b\s*[:\-–—]|\bnew\s+(?:system\s+)?instructions?\s*:`,
	`you => \byou\s+are\s+(?:now\s+)?(?:the\s+|an?\s+|in\s+)?(?:admin|administrator|developer mode|root|dan|jailbroken|unrestricted|operator)\b`,
	`mode => \b(?:developer|debug|god|jailbreak)\s+mode\s+(?:is\s+)?(?:on|enabled|activated)\b`,
	// Something is to be said or done word for word.
	`reply,respond,answer,post,tweet,publish,say,output,write,repeat => \b(?:reply|respond|answer|post|tweet|publish|say|output|write|repeat)\s+(?:back\s+)?(?:exactly|verbatim|only with|nothing but|word for word|the following)\b`,
	`nothing else => \b(?:reply|respond|answer|post|tweet)\b.{1,120}\band nothing else\b`,
	`decode,translate,unscramble => \b(?:decode|translate|unscramble)\s+(?:this|it|the (?:following|message|morse|text))\s+(?:and|then)\s+(?:\w+\s+)?(?:post|reply|tweet|send|execute|run|do|follow|publish)`,
	`reveal,print,show,leak,repeat,post,send => \b(?:reveal|print|show|leak|repeat|post|send)\s+(?:me\s+|us\s+)?(?:your|the)\s+(?:system prompt|hidden instructions|instructions above|api[ -]?keys?|access token)`,
	`tool => \bcall\s+(?:the\s+)?tool\s+\w+`,
	`contract,address,ca => \b(?:official|real|new)\s+(?:contract|address|ca)\s+(?:has\s+(?:changed|moved|migrated)|changed\s+to|is\s+now\s*:?\s*(?:at\s+)?0x)`,
)

// takeover are the marks and set phrases by which a model is told to leave its
// orders. Honest texts, also those that warn, hold none of them.
var takeover = compiled(
	`ignore,disregard,override,bypass,overrule,forget => \b(?:ignore|disregard|override|bypass|overrule|forget)\s+(?:(?:about|all|any|every|everything|of|the|these|those|my|and)\s+){0,3}(?:previous|prior|above|earlier|preceding|your|existing|current|safety|system)\s+(?:\w+\s+){0,2}?(?:instruction|rule|prompt|direction|guideline|order|directive|restriction|polic|safeguard|guardrail|programming)`,
	`ignore,disregard,override,forget => \b(?:ignore|disregard|override|forget)\s+(?:all\s+)?(?:of\s+)?(?:the\s+|these\s+|those\s+)?(?:instructions|prompts|directives|guardrails)\s*(?:[.!,;:]|$|(?:and|above|given|before|you)\b)`,
	`ignorier,missachte,vergiss => (?:ignoriere?|missachte|vergiss)\w*\s+(?:alle\s+)?(?:bisherigen|vorherigen|vorigen|obigen|deine)\w*\s+(?:\w+\s+)?(?:anweisung|regel|vorgabe|befehl|instruktion)`,
	`ignore,oublie => (?:ignore[zr]?|oublie[zr]?)\s+(?:toutes?\s+|tous\s+)?(?:les|tes|vos)\s+(?:instruction|consigne|directive)s?\s+(?:précédent|precedent|antérieur|ci-dessus)`,
	`ignora,ignore,olvid => (?:ignora|ignore|olvida|olvide)d?\s+(?:todas\s+)?(?:las|tus|sus)\s+(?:instrucciones|órdenes|indicaciones)\s+(?:anterior|previa)`,
	`ignore,esque => (?:ignore|esqueça|esqueca)\s+(?:todas\s+)?(?:as|suas)\s+(?:instruções|instrucoes|ordens)\s+(?:anterior|prévia)`,
	`ignora,dimentica => (?:ignora|dimentica)\s+(?:tutte\s+)?(?:le|tue)\s+(?:istruzioni)\s+(?:precedent|sopra)`,
	`negeer,vergeet => (?:negeer|vergeet)\s+(?:alle\s+)?(?:vorige|eerdere|je)\s+(?:instructie|opdracht)`,
	`zignoruj,zapomnij => (?:zignoruj|zapomnij)\s+(?:wszystkie\s+)?(?:poprzednie|swoje)\s+(?:instrukcj|polece)`,
	`önceki => önceki\s+(?:tüm\s+)?(?:talimat|komut)\S*\s+(?:yok say|unut|görmezden)`,
	`игнорируй,забудь => (?:игнорируй|проигнорируй|забудь)\S*\s+(?:вс[её]\s+)?(?:предыдущ|прошл|прежн|сво|тво|ваш)\S*\s+(?:инструкц|правил|указани|команд)`,
	`ігноруй,забудь => (?:ігноруй|забудь)\S*\s+(?:усі\s+|всі\s+)?(?:попередн|сво|тво)\S*\s+(?:інструкц|правил|вказівк)`,
	`忽略 => 忽略.{0,4}(?:之前|先前|以上|前面|你的).{0,4}(?:指令|指示|规则|規則|提示|命令)`,
	`無視,忘れ => (?:以前|これまで|上記|前)の(?:全ての|すべての)?(?:指示|命令|ルール|プロンプト).{0,3}(?:無視|忘れ)`,
	`무시,잊어 => 이전\s*(?:의\s*)?(?:모든\s*)?(?:지시|명령|규칙|프롬프트).{0,6}(?:무시|잊어)`,
	`تجاهل => تجاهل\s+(?:جميع\s+|كل\s+)?(?:التعليمات|الأوامر|تعليماتك)\s*(?:السابقة|$)`,
	`निर्देश => (?:पिछले|पहले के)\s+(?:\S+\s+)?निर्देशों?\s+(?:\S+\s+)?(?:अनदेखा|नज़रअंदाज़|भूल)`,
	`bỏ qua => bỏ qua\s+(?:mọi\s+|tất cả\s+)?(?:các\s+)?(?:hướng dẫn|chỉ dẫn|lệnh)\s+(?:trước|ở trên)`,
	`abaikan,lupakan => (?:abaikan|lupakan)\s+(?:semua\s+)?(?:instruksi|perintah)\s*(?:sebelum|di atas|[.!]|$)`,
	`<,[inst],[/inst] => <\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?untrusted\b|</?(?:system|instructions?)>`,
	`human,assistant => \n\s*\n\s*(?:human|assistant)\s*:`,
	`system,instructions => \bsystem\s+(?:prompt|override)s?\s*[:\-–—]|\bnew\s+(?:system\s+)instructions?\s*:`,
	`mode => \b(?:developer|god|jailbreak)\s+mode\s+(?:is\s+)?(?:on|enabled|activated)\b`,
	`system prompt,hidden instructions,instructions above => \b(?:reveal|print|show|leak|repeat|send)\s+(?:me\s+|us\s+)?(?:your|the)\s+(?:system prompt|hidden instructions|instructions above)`,
	`nothing else => \b(?:reply|respond|answer|tweet)\s+with\b.{1,120}\band nothing else\b`,
)

// commands are all the phrases.
var commands = slices.Concat(steering, takeover)

// phrase is a pattern, and the words of which a text must hold one for it.
type phrase struct {
	pattern *regexp.Regexp
	stems   []string
}

// compiled reads patterns with their words before them: looking for words is a
// hundred times faster than matching.
func compiled(patterns ...string) (all []phrase) {
	for _, p := range patterns {
		stems, pattern, found := strings.Cut(p, " => ")
		if !found {
			panic("a phrase without its stems: " + p)
		}
		all = append(all, phrase{regexp.MustCompile(norm.NFKC.String(pattern)), strings.Split(norm.NFKC.String(stems), ",")})
	}
	return all
}

// steers tells whether a text that is folded to plain words, or one that is
// only normalised, holds a phrase that commands.
func steers(text string, phrases []phrase) bool {
	lower := strings.ToLower(text)
	for _, p := range phrases {
		if p.in(lower) && p.pattern.MatchString(lower) {
			return true
		}
	}
	return false
}

func (p phrase) in(lower string) bool {
	for _, stem := range p.stems {
		if strings.Contains(lower, stem) {
			return true
		}
	}
	return false
}
