package app

// BannedPhrases are the words that no post may hold unless the team says
// otherwise: promises of profit and of safety, and urgency that is none. A word
// with * stands for all that begin so, a # for any number, a | at the end for the
// end of a part of a sentence.
func BannedPhrases() []string {
	return []string{
		// Promises.
		"guarantee*", "risk free", "no risk", "zero risk", "riskless", "can't lose", "cannot lose", "can't go wrong", "safe investment", "sure thing", "sure win", "easy money", "free money",
		"passive income", "financial freedom", "get rich", "make you rich", "make us rich", "be rich |", "you will be rich", "you'll be rich", "we will be rich", "we'll be rich", "all be rich", "be rich by", "be rich in #", "be rich soon", "life changing", "generational wealth", "double your", "triple your", "#x your",
		"#x gain*", "#x return*", "#x profit*", "#x soon", "#x incoming", "easy #x", "next #x", "will #x", "can only go up", "only goes up", "will go up |", "going to go up |", "will go up by #", "will go up from here", "will go up soon", "will go up again", "price will go up", "price is going to go up", "token will go up", "value will go up", "chart will go up", "bags will go up", "will only go up", "will moon", "going to moon", "to the moon",
		"will pump", "about to pump", "will explode", "about to explode", "will skyrocket", "price will rise", "promise* profit*", "promise* return*", "promise of profit*", "promise of return*",
		"profit* promised", "assured profit*", "assured return*", "profit* assured", "certain profit*", "you will profit", "you'll profit", "you will earn", "you'll earn",
		"going to #x", "sure profit*", "sure gain*", "surefire", "cannot fail", "can't fail", "moonshot*", "never goes down", "before we moon", "when we moon", "next bitcoin", "investment is safe", "steady returns", "steady profit*",
		"# apy", "just by holding", "while you sleep |", "quit your job", "always win |", "holders always win", "expect at least #x", "turn # into",
		// Urgency.
		"act now", "act fast", "buy now", "ape in", "hurry", "hurry up", "last chance", "final chance", "last call", "don't miss", "do not miss", "before it's too late", "before it is too late",
		"too late to buy", "limited time", "time is running out", "running out of time", "only hours left", "only # hours left", "only minutes left", "only # minutes left", "now or never",
		"once in a lifetime", "fomo", "you will regret", "you'll regret", "still early |", "still so early", "you are still early", "you're still early", "still early to buy", "still early enough", "get in early", "get in now", "load your bags", "fill your bags", "don't sleep on",
		// The same in other languages, in which nothing is taken for denied.
		"garantierte rendite*", "garantierte gewinn*", "garantierter gewinn", "sichere gewinne", "kein risiko", "ohne risiko", "verzehnfachen", "wirst reich", "werden reich", "jetzt kaufen", "jetzt zuschlagen", "letzte chance", "nur noch heute",
		"ganancia* garantizada*", "ganancia* asegurada*", "sin riesgo*", "última oportunidad", "compra ya", "duplicar tu dinero", "hazte rico", "antes de que sea tarde",
		"profit* garanti*", "gain* garanti*", "rendement garanti", "sans risque*", "sans aucun risque", "dernière chance", "devenir riche*", "achetez maintenant",
		"lucro* garantido*", "retorno garantido", "sem risco*", "última chance", "compre agora", "guadagn* assicurat*", "guadagn* garantit*", "senza rischi*", "ultima occasione", "compra ora",
		"гарантированн* прибыль", "гарантированн* доход", "гарантия прибыли", "без риска", "последний шанс", "точно вырастет", "покупай сейчас", "купи сейчас",
		"gwarantowany zysk", "gwarantowane zyski", "bez ryzyka", "ostatnia szansa", "garantili kazanç", "garanti kazanç", "risksiz", "son şans", "hemen al",
		"lợi nhuận đảm bảo", "đảm bảo lợi nhuận", "không rủi ro", "cơ hội cuối", "mua ngay",
		"保证盈利", "保證獲利", "稳赚不赔", "穩賺不賠", "零风险", "零風險", "最后机会", "最後機會", "快买", "必ず儲か", "絶対に儲か", "今すぐ買", "元本保証", "最後のチャンス", "원금 보장", "수익 보장", "지금 사세요", "마지막 기회",
	}
}
