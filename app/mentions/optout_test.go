package mentions_test

import (
	"strings"
	"testing"

	"vivra/app/internal/testattack"
	"vivra/app/internal/testpace"
	"vivra/app/mentions"
)

// optOuts ask to be left alone, one a line.
const optOuts = `stop
STOP!!
Stop.
stop, please
please stop
please stop it
Please, stop this.
stop 🛑
🛑 stop 🛑
🛑🛑 STOP IT 🛑🛑
stop stop stop
Stop! Stop! Stop!
#stop
"stop"
(stop)
*stop*
just stop
ok stop now
stop already
stop, bot
hey bot, stop
stop it ok?
can you stop?
could you please stop
unsubscribe
Unsubscribe.
please unsubscribe me
unsubscribe me from this
opt out
OPT-OUT
opt me out
opt me out of this please
I want to opt out
I'd like to unsubscribe
don't reply
Don't reply.
do not reply!
please don't reply
don’t reply to me
don't ever reply to me
Do not reply to me again
gm, don't reply to me
stop replying
stop replying to me
STOP REPLYING TO MY POSTS
please stop tagging me 🙏
quit spamming us
bro stop messaging me
I said stop replying to me
for the last time, stop replying to me
can you stop replying to me?
could you please not reply to me?
Would you stop tagging me?
thanks, but stop replying to me
gm and please don't tag me
Not interested, stop tagging me.
never mention me again
don't @ me
don't @me
stop @ing me
you must not contact me
I don't want your replies
I don't want to be tagged
i didn't ask for a bot
no bots please
No bots!
no AI replies please
no replies please
no thanks
No thank you.
leave me alone
Leave me alone!!! 😡
please leave me alone, ok?
just leave us alone
leave me out of this
keep me out of your threads
block me
block me please
just block me already
mute me
remove me from your list
take me off this list
go away
enough
that's enough, thanks
knock it off
please just stop. I'm not interested
I'm blocking you, don't reply
Why are you tagging me? Stop it.
stoppp
STAHP
no more replies please
do not reply to this tweet
please don't reply to this
please do not engage
How dare you. Stop replying to me.
Dude. Stop.
don't contact me ever again
je ne veux pas de réponse
nicht mehr taggen bitte
no quiero respuestas
Lass mich in Ruhe
lasst mich bitte in Ruhe!
Stopp!
hör auf
Hör auf, mich zu markieren
hör bitte auf mir zu antworten
antworte mir nicht
Bitte nicht antworten.
keine Bots bitte
nein danke
Blockier mich
arrête
Arrêtez, s'il vous plaît
laissez-moi tranquille
fous-moi la paix
ne me réponds plus
ne répondez pas svp
arrête de me taguer
pas de bots merci
bloquez-moi
basta ya
para, por favor
no me respondas más
no me menciones
Déjame en paz
dejame en paz
deja de responderme
sin bots por favor
darme de baja
pare, por favor
não me marque
Me deixa em paz
não responda
sem bots
smettila
lasciami in pace
non rispondermi
non taggarmi più
smettila di taggarmi
hou op
laat me met rust
niet reageren aub
geen bots
przestań
nie odpowiadaj mi
zostaw mnie w spokoju
nie oznaczaj mnie
стоп
хватит!
отстаньте
не пишите мне больше
пожалуйста, не отвечайте мне
оставьте меня в покое
не упоминай меня
заблокируйте меня
не відповідайте мені
залиште мене в спокої
dur
beni rahat bırak
bana cevap verme
bana yazma artık
beni etiketleme
berhenti
jangan balas saya
tolong jangan tag saya
dừng lại
đừng trả lời tôi
để tôi yên
停止
别烦我
别再回复我
请不要回复我
不要@我
请屏蔽我
やめて
返信しないで
返信しないでください。
私にメンションしないでください
放っておいて
그만해
답장하지 마
저한테 답장하지 마세요
내버려 둬
توقف
لا ترد علي
دعني وشأني
رجاء لا ترد علي
रुको
कृपया मुझे टैग मत करो
मुझे अकेला छोड़ दो`

// noOptOuts ask something else, or nothing.
const noOptOuts = `can holders opt out?
how do I opt out of the tax
how do I opt out of the tax?
how to unsubscribe from the newsletter?
Can I opt out of the burn?
is there an opt-out?
you can opt out of anything in life but not of $DODO
why is there no reply?
why no reply?
asked yesterday, no reply
still no reply from the team
there is no reply to my question
no reply to my mail since Monday
don't stop!
Don't stop now
never stop
please don't stop
can't stop won't stop
don't ever stop posting
please never stop replying to us
don't stop replying to me, I love it
stop the rug
stop the rug!
stop the count, we are so back
stop the buyback
Stop selling
stop fudding
please stop the buyback
please stop it from dying
stop dumping on us
stop loss at 0.01
bus stop
the next stop is the moon
Full stop.
what a stop!
it won't stop
nothing can stop this
when will you stop?
will you stop the burn?
will it stop?
when will you stop the buyback?
why did you stop?
Why did you stop replying to me?
why don't you reply to me
why do you never answer me?
you never reply to me
you don't reply to me
You don't answer me, why?
you post all day, but never reply to me
devs don't reply to me
they never answer us
nobody replies to me
the team does not reply to me
can you reply to me?
please reply to me
could you please answer me?
don't forget to reply to me
don't reply to scammers
do not reply to him
never reply to DMs from strangers
stop replying to bots
don't tag the old team
how many bots are in here?
are there no bots?
no bots were harmed
no bots please? how do you filter them?
is it a bot?
leave it alone
leave the chart alone
the old team left me alone with my bags
don't leave me alone with these bags
you can't leave us alone now
never leave us alone
block 19000000 was mined
block the scammer
which block was it?
can you block him?
does the contract block me from selling?
Will the wallet block me?
mute the haters
remove the tax
remove me?
who can remove liquidity?
enough is enough, we are back
is it enough?
not enough holders
go away from the old contract
the end is near
end of day 7?
quit my job for this
no thanks to the old team
stop it, you're making me blush 😂
stop lying
stop, hammer time
don't mention the war
please don't reply with AI slop, just tell me the address
don't quote me on that
don't bother me with fud, tell me the plan
don't follow me, I'm lost too
don't tell me it's dead
no bots, only humans? nice
enough said
I never want this to end
I don't want to sell
Why antwortet ihr mir nicht?
warum antwortet ihr mir nicht?
ihr antwortet mir nicht
Hör nicht auf!
hört das nie auf?
pourquoi tu ne me réponds pas ?
vous ne me répondez jamais
n'arrêtez pas !
¿por qué no me respondes?
no pares
para cuando la votación?
para mí es genial
por que você não me responde?
não pare
non risponde nessuno
perché non rispondete mai?
non smettere
waarom antwoord je niet?
niet stoppen
dlaczego nie odpowiadasz mi?
почему вы мне не отвечаете?
не останавливайтесь
когда стоп?
neden bana cevap vermediniz?
bana cevap vermediniz
durma
kenapa tidak balas saya?
jangan berhenti
sao không trả lời tôi?
为什么不回复我？
不要停
什么时候停止？
なぜ返信しないのですか？
やめないで
왜 답장 안 해요?
멈추지 마
لماذا لا ترد علي؟
لا تتوقف
मुझे जवाब क्यों नहीं मिला?
मत रुको`

func TestOptOutsAreHonoured(t *testing.T) {
	t.Parallel()
	missed, all := 0, strings.Split(optOuts, "\n")
	for _, text := range all {
		for _, said := range []string{text, "@dodo_back " + text, "@dodo_back @ann\n" + text + "\nhttps://t.co/abc"} {
			if !mentions.OptsOut(said) {
				missed++
				t.Errorf("%q is not heard", said)
			}
		}
	}
	t.Logf("%d of %d are not heard", missed, 3*len(all))
}

func TestWhatIsNoOptOut(t *testing.T) {
	t.Parallel()
	wrong, all := 0, append(strings.Split(noOptOuts, "\n"), testattack.Innocents()...)
	for _, text := range all {
		if mentions.OptsOut("@dodo_back " + text) {
			wrong++
			t.Errorf("%q is taken for one", text)
		}
	}
	t.Logf("%d of %d are taken for one", wrong, len(all))
}

func TestOptsOutTakesTime(t *testing.T) {
	testpace.Linear(t, "OptsOut", func(s string) { mentions.OptsOut(s) }, []string{"stop ", "stop, ", "please ", "please, ", "a, ", "? ", "@me ", "don't reply, "})
}
