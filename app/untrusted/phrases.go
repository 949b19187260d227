package untrusted

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// steering are the phrases by which a text tries to command who reads it. They
// are held against folded text in lower case.
var steering = compiled(
	// Rules are to be set aside.
	`(?:ignore|disregard|override|bypass|overrule|forget)\s+(?:\w+\s+){0,3}?(?:all|any|previous|prior|above|earlier|preceding|your|these|those|every|existing|current|safety)\s+(?:\w+\s+){0,3}?(?:instruction|rule|prompt|direction|guideline|order|directive|restriction|polic|safeguard|guardrail|programming)`,
	`(?:ignoriere?|missachte|vergiss)\w*\s+(?:\w+\s+){0,3}?(?:alle|bisherigen|vorherigen|vorigen|obigen|deine)\s+(?:\w+\s+){0,2}?(?:anweisung|regel|vorgabe|befehl|instruktion)`,
	`(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,2}?(?:les|tes|vos|ces)\s+(?:\w+\s+)?(?:instruction|consigne|règle|regle|directive)`,
	`(?:ignora|ignore|olvida|olvide)d?\s+(?:\w+\s+){0,2}?(?:las|tus|sus|estas)\s+(?:instrucci|regla|orden|indicaci)`,
	`(?:ignore|esqueça|esqueca)\s+(?:\w+\s+){0,2}?(?:as|suas|essas)\s+(?:\w+\s+)?(?:instruç|instruc|regra|orden)`,
	`(?:ignora|dimentica)\s+(?:\w+\s+){0,2}?(?:le|tue|queste)\s+(?:istruzion|regol)`,
	`(?:negeer|vergeet)\s+(?:\w+\s+){0,2}?(?:alle|vorige|eerdere|je)\s+(?:\w+\s+)?(?:instructie|regel|opdracht)`,
	`(?:zignoruj|zapomnij)\s+(?:\S+\s+){0,3}?(?:instrukcj|polece|zasad|reguł)`,
	`(?:abaikan|lupakan)\s+(?:\w+\s+){0,2}?(?:instruksi|perintah|aturan)`,
	`bỏ qua\s+(?:\S+\s+){0,3}?(?:hướng dẫn|chỉ dẫn|lệnh|quy tắc)`,
	`(?:önceki|yukarıdaki|tüm)\s+(?:\S+\s+){0,2}?(?:talimat|kural|komut)\S*\s+(?:\S+\s+)?(?:yok say|unut|görmezden)`,
	`(?:игнорируй|проигнорируй|забудь|отбрось)\S*\s+(?:\S+\s+){0,3}?(?:инструкц|правил|указани|команд)`,
	`(?:ігноруй|забудь)\S*\s+(?:\S+\s+){0,3}?(?:інструкц|правил|вказівк)`,
	`忽略.{0,12}(?:指令|指示|规则|規則|提示|命令)`,
	`(?:指示|命令|ルール|プロンプト).{0,6}(?:無視|忘れ)`,
	`(?:지시|명령|규칙|프롬프트).{0,8}(?:무시|잊어)`,
	`تجاهل\s+(?:\S+\s+){0,3}?(?:التعليمات|الأوامر|القواعد|تعليمات)`,
	`निर्देशों?\s+(?:\S+\s+){0,2}?(?:अनदेखा|नज़रअंदाज़|भूल)`,
	// Somebody poses as who may command.
	`(?m)^\s*(?:human|assistant)\s*:|(?:^|@\w+)\s*system\s*(?:\(.{0,30}\))?\s*:`,
	`<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?untrusted\b|</?(?:system|instructions?)>|#{2,}\s*(?:system|instruction)`,
	`\bsystem\s+(?:prompt|override|notice|instruction)s?\b\s*[:\-–—]|\bnew\s+(?:system\s+)?instructions?\s*:`,
	`\byou\s+are\s+(?:now\s+)?(?:the\s+|an?\s+|in\s+)?(?:admin|administrator|developer mode|root|dan|jailbroken|unrestricted|operator)\b`,
	`\b(?:developer|debug|god|jailbreak)\s+mode\s+(?:is\s+)?(?:on|enabled|activated)\b`,
	// Something is to be said or done word for word.
	`\b(?:reply|respond|answer|post|tweet|publish|say|output|write|repeat)\s+(?:back\s+)?(?:exactly|verbatim|only with|nothing but|word for word|the following)\b`,
	`\b(?:reply|respond|answer|post|tweet)\b.{1,120}\band nothing else\b`,
	`\b(?:decode|translate|unscramble)\s+(?:this|it|the (?:following|message|morse|text))\s+(?:and|then)\s+(?:\w+\s+)?(?:post|reply|tweet|send|execute|run|do|follow|publish)`,
	`\b(?:reveal|print|show|leak|repeat|post|send)\s+(?:me\s+|us\s+)?(?:your|the)\s+(?:system prompt|hidden instructions|instructions above|api[ -]?keys?|access token)`,
	`\bcall\s+(?:the\s+)?tool\s+\w+`,
	`\b(?:official|real|new)\s+(?:contract|address|ca)\s+(?:has\s+(?:changed|moved|migrated)|changed\s+to|is\s+now\s*:?\s*(?:at\s+)?0x)`,
)

func compiled(patterns ...string) (all []*regexp.Regexp) {
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(norm.NFKC.String(p)))
	}
	return all
}

// steers tells whether a text that is folded to plain words, or one that is
// only normalised, holds a phrase that commands.
func steers(text string) bool {
	lower := strings.ToLower(text)
	for _, phrase := range steering {
		if phrase.MatchString(lower) {
			return true
		}
	}
	return false
}
