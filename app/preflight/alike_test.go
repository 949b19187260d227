package preflight_test

import (
	"fmt"
	"maps"
	"testing"

	"vivra/app/internal/testpace"
	"vivra/app/preflight"
)

// varied are posts of one account as a good month has them: no two are alike.
var varied = []string{
	"Day 3. 412 holders of $DODO, 9 more than yesterday. Measured at 08:00 UTC.",
	"Volume in 24 hours: $1,204, by 31 buyers. Two of them bought more than half of it, which is written down as well.",
	"Liquidity stands at $18,300. That is what is behind each trade of $DODO, no more.",
	"Nobody of this team writes to you first, and nobody will. Whoever does is not us.",
	"Yesterday the agents made 214 calls for $2.91. The dearest was a picture that nobody approved.",
	"Market value $96,000, 4 % below yesterday. It stands here whichever way it goes.",
	"A picture today: the dodo at the sea, looking for its wings. Drawn by a machine, approved by a person who sighed.",
	"Burned so far: 1,000,000 DODO. Nobody can undo that, which is rare here.",
	"The verdict comes on day 7, by a rule that was published before the start. It can't be talked round.",
	"Somebody in the group asked whether the contract can still mint. It can't: the owner is the zero address since March.",
	"The site was down for 11 minutes last night. The deploy had lost its icon; the agent put it back and wrote down why.",
	"The quiz in the group has 64 players. The hardest question so far: in which year was the dodo last seen? 1662.",
	"Four of ten largest holders have not moved since the launch. We don't know them either.",
	"What this takeover has cost up to now: $41.20 of $120. Models took most of it, posts the least.",
	"Telegram grew to 188 members. Six were sent away, all for the same forged address.",
	"A week without the old team. The website is ours, the group has moderators, and the account answers for itself.",
	"The chart is flat. 7 trades, 5 buyers. If you came for excitement, there is a museum of flightless birds in Mauritius.",
	"A person rejected yesterday's draft with one line: too proud. This one is shorter.",
	"The community chose the second face by 61 votes to 40. The other two stay in the archive.",
	"Half of the month is over. Fifteen days of log, 1,930 lines, and every one of them has a price.",
}

// short are posts of a few words, and posts in scripts that set no blanks
// between words: no two of a script are alike.
var short = map[string][]string{
	"Latin": {
		"gm dodos", "gm holders", "good morning holders", "good morning, dodos", "The dodo is back.", "The vote is open.", "The vote is over.", "The site is live.", "The site is down.", "The poll is live.",
		"412 holders today.", "$18,300 of liquidity today.", "Vote now.", "Read the log.", "Read the pin.", "It dances again.", "It rains again.", "Nobody sold today.", "Nobody bought today.",
		"The verdict comes tomorrow.", "The utility comes tomorrow.", "A quiet day.", "A loud day.", "New picture today.", "New quiz today.", "Buenos días, dodos", "Buenas noches, dodos",
	},
	"Cyrillic": {"Доброе утро, додо", "Доброй ночи, додо", "Голосование открыто.", "Голосование закрыто.", "Сайт работает.", "Сайт лежит.", "Сегодня никто не продал.", "Сегодня никто не купил."},
	"Han":      {"今天有四百一十二个持有人。", "投票已经开始了，请看网站。", "投票已经结束了，结果在日志里。", "网站昨晚停了十一分钟。", "流动性没有变化。", "今天的图片是海边的渡渡鸟。", "团队不会先给你发私信。", "早上好，渡渡鸟们", "早上好，持有人", "判决在第七天公布。", "所有费用都写在日志里。", "合约不能再增发了。", "早安", "晚安"},
	"Japanese": {"今日の保有者は四百十二人です。", "投票が始まりました。", "投票が終わりました。", "サイトは昨夜十一分間止まりました。", "流動性は変わっていません。", "今日の絵は海辺のドードーです。", "チームから先に連絡することはありません。", "おはようございます、みなさん", "判定は七日目に出ます。", "費用はすべてログにあります。"},
	"Hangul":   {"오늘 보유자는 사백열두 명입니다.", "투표가 시작되었습니다.", "투표가 끝났습니다.", "사이트가 어젯밤 십일 분 동안 멈췄습니다.", "유동성은 변하지 않았습니다.", "오늘의 그림은 바닷가의 도도새입니다.", "팀은 먼저 연락하지 않습니다.", "판결은 일곱째 날에 나옵니다.", "모든 비용은 기록에 있습니다."},
	"Thai":     {"วันนี้มีผู้ถือสี่ร้อยสิบสองคน", "การโหวตเริ่มแล้ว", "การโหวตจบแล้ว", "เว็บไซต์ล่มไปสิบเอ็ดนาทีเมื่อคืน", "สภาพคล่องไม่เปลี่ยน", "ภาพวันนี้คือนกโดโดที่ทะเล", "ทีมจะไม่ทักหาคุณก่อน", "คำตัดสินออกในวันที่เจ็ด", "ค่าใช้จ่ายทั้งหมดอยู่ในบันทึก"},
}

// apart is how far a pair must stay from where two posts are one.
const apart = 0.1

func TestVariedPostsAreNotAlike(t *testing.T) {
	t.Parallel()
	all := maps.Clone(short)
	all["a month"] = varied
	for script, posts := range all {
		most, which := 0.0, ""
		for i, a := range posts {
			for _, b := range posts[:i] {
				if got := preflight.Likeness(a, b); got > most {
					most, which = got, fmt.Sprintf("%q and %q", a, b)
				}
			}
		}
		if t.Logf("%s: %.2f at most", script, most); most > preflight.TooAlike-apart {
			t.Errorf("%s: %s are alike by %.2f", script, which, most)
		}
	}
}

// again holds pairs of one post, said twice.
var again = map[string][][2]string{
	"a month": {
		{varied[0], "Day 12. 530 holders of $DODO, 3 fewer than yesterday. Measured at 08:00 UTC."},
		{varied[0], "Day 4: 419 holders of $DODO, 7 more than yesterday. 🔥 Measured at 09:00 UTC. https://dodo.vivra.site"},
		{varied[1], "Volume in 24 hours: $933, by 12 buyers. Two of them bought more than half of it, and that is written down as well."},
		{varied[2], "LIQUIDITY STANDS AT $9,000. THAT IS WHAT IS BEHIND EACH TRADE OF $DODO, NO MORE."},
		{varied[2], "Liquidity stands at $18,300 today. That is all that is behind each trade of $DODO."},
		{varied[3], "Nobody will write to you first, nobody of this team. Whoever does is not us!"},
		{varied[3], "Nоbоdy оf this tеаm writеs tо yоu first, аnd nоbоdy will. Whoеvеr dоеs is nоt us."},
		{varied[6], "A picture today: the dodo in the snow, looking for its wings. Drawn by a machine, approved by a person who laughed."},
		{varied[7], "Nobody can undo that, which is rare here. Burned so far: 2,500,000 DODO."},
		{varied[8], "The verdict comes on day 7. The rule was published before the start and can't be talked round."},
		{varied[10], "Last night the site was down for 3 minutes. The deploy had lost its icon; the agent put it back and wrote down the reason."},
		{varied[13], "What this takeover has cost so far: $58.90 of $120. Models took most, posts the least."},
	},
	"Latin": {
		{"gm", "GM ☀️"}, {"How are you today?", "how are you today"}, {"gm dodos", "gm, dodos! 🔥"}, {"412 holders today.", "419 holders today 🔥"}, {"The vote is open.", "THE VOTE IS OPEN 🗳"}, {"Day 3: 412 holders, 9 more.", "Day 4: 419 holders, 7 more."},
		{"Nobody of this team writes to you first.", "Nobody of this team will write to you first!"}, {"The site was down for 11 minutes.", "Site was down for 3 minutes."},
	},
	"Cyrillic": {{"Сайт лежал 11 минут прошлой ночью.", "Прошлой ночью сайт лежал 3 минуты."}, {"Доброе утро, додо", "Доброе утро, додо! 🔥"}},
	"Han": {
		{"第三天，四百一十二个持有人，比昨天多九个", "第四天，四百一十九个持有人，比昨天多七个"}, {"网站昨晚停了十一分钟，代理把图标放回去了。", "昨晚网站停了三分钟，代理把图标放回去了。"}, {"早安", "早安！☀️"}, {"投票已经开始了，请看网站。", "投票已经开始，请大家看网站！"},
		{"团队不会先给你发私信，谁这样做谁就不是我们。", "我们团队不会先给你发私信，谁这样做都不是我们！🔥"}, {"今天的图片是海边的渡渡鸟，由机器画，由人批准。", "今天的图片是雪中的渡渡鸟，由机器画，由人批准。"},
	},
	"Japanese": {
		{"サイトは昨夜十一分間止まりました。エージェントがアイコンを戻しました。", "昨夜サイトは三分間止まりました。エージェントがアイコンを戻しました。"},
		{"チームから先に連絡することはありません。連絡する人は私たちではありません。", "こちらのチームから先に連絡することはありません。連絡してくる人は私たちではありません！"},
	},
	"Hangul": {{"사이트가 어젯밤 11분 동안 멈췄습니다. 에이전트가 아이콘을 되돌렸습니다.", "어젯밤 사이트가 3분 동안 멈췄습니다. 에이전트가 아이콘을 다시 되돌렸습니다."}, {"오늘 보유자는 412명입니다.", "오늘 보유자는 419명입니다 🔥"}},
	"Thai":   {{"เว็บไซต์ล่มไป 11 นาทีเมื่อคืน เอเจนต์ใส่ไอคอนกลับแล้ว", "เมื่อคืนเว็บไซต์ล่มไป 3 นาที เอเจนต์ใส่ไอคอนกลับแล้ว"}, {"ทีมจะไม่ทักหาคุณก่อน ใครทักไม่ใช่เรา", "ทีมของเราจะไม่ทักหาคุณก่อน ใครทักมาไม่ใช่เรา 🔥"}},
}

func TestTheSamePostAgainIsAlike(t *testing.T) {
	t.Parallel()
	for script, pairs := range again {
		least, which := 1.0, ""
		for _, pair := range pairs {
			if got := preflight.Likeness(pair[0], pair[1]); got < least {
				least, which = got, pair[1]
			}
		}
		if t.Logf("%s: %.2f at least", script, least); least < preflight.TooAlike {
			t.Errorf("%s: %q is alike by %.2f only", script, which, least)
		}
	}
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"gm", "", 0},
		{varied[4], varied[4], 1},
		{"1 2 3", "4 5 6", 0},
		{"https://dodo.vivra.site $DODO", "https://dodo.vivra.site $DODO", 0},
	} {
		if got := preflight.Likeness(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"gm, world!", "GM  world", true},
		{"gm\u200b world", "gm\nworld", true},
		{"gm wоrld", "gm world", true},
		{"it’s back", "its back", true},
		{"gm 🔥", "gm 🚀", false},
		{"412 holders", "413 holders", false},
		{"gm", "gn", false},
	} {
		if got := preflight.Digest(c.a) == preflight.Digest(c.b); got != c.same {
			t.Errorf("%q and %q are the same: %v", c.a, c.b, got)
		}
	}
}

func TestLikenessTakesTime(t *testing.T) {
	testpace.Linear(t, "Likeness", func(s string) { preflight.Likeness(s, s) }, []string{"a ", "word ", "a.com ", "第", "$a "})
}
