package preflight_test

import (
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/preflight"
)

// promises are sentences that promise or press, one a line.
const promises = `Guaranteed profit for every holder.
Profit is guaranteed.
We guarantee a tenfold return.
No tax and guaranteed profit
No tax but guaranteed profit
No tax, guaranteed profit
No tax guaranteed profit
No tax & guaranteed profit
No tax + guaranteed profit
No tax – guaranteed profit
No tax - guaranteed profit
No tax = guaranteed profit
No tax 🔥 guaranteed profit
No team tokens, so guaranteed profit
No fees; returns are guaranteed.
No rug. Guaranteed.
No rug: gains guaranteed
No KYC with guaranteed gains
Why not buy now
Why not buy now?
So why not get in early?
Why don't you buy now?
Why wouldn't you get in early
Why wait? Buy now
Who doesn't get rich here?
Who wouldn't make us rich?
Not only safe: guaranteed returns
Not only guaranteed but fast
Not just guaranteed, doubled
Not a joke: guaranteed
Not a joke guaranteed
Not a dream, you will profit
Not financial advice, buy now
Not financial advice but buy now
Not financial advice buy now
Not tomorrow. Act now.
Not later: act now
No limits, 100x soon
No limits 100x soon
No limits and 100x soon
No ceiling, to the moon
No ceiling to the moon
Never sell, guaranteed profit
Never sell guaranteed profit
Never selling, we will be rich
Never sell and you will be rich
Never wait, act now
Never been so guaranteed before
Never sell is guaranteed profit
Don't dump is guaranteed profit
Never before guaranteed like this
Nothing but guaranteed profit
Nothing less than guaranteed profit
Nothing can stop us, it will moon
Nothing stops this: it will pump
Nothing beats guaranteed profit
Nobody sells, so price will go up
Nobody stops guaranteed profit
Nobody knows it will pump
Nobody knows that it will moon
Nobody told you it will explode
No doubt guaranteed
No doubt, you will profit
No doubt that you will profit
Without a doubt you will profit
Without a doubt, to the moon
Without doubt guaranteed
No question you will profit
No cap, guaranteed
No wonder it will moon
No matter what, you will profit
No reason not to buy now
No reason not to get in early
Don't wait, buy now
Don't wait buy now
Don't wait to get in early
Don't sleep: get in early
Don't sleep on it, last chance
Don't sleep on the last chance to buy
Don't forget to buy now
Don't stop and get rich
Don't worry, you can't lose
Don't worry you can't lose
Don't think, ape in
Don't hesitate to buy now
Don't be afraid to buy now
Don't you want to get rich?
Don't you believe it will moon?
Isn't it guaranteed?
Isn't this guaranteed profit?
Can't you get rich with us?
Can't believe it will moon
I can't believe this will pump
I can't wait to get rich
Can't stop, won't stop, to the moon
We won't stop: easy money
It isn't luck, it is guaranteed
It isn't not guaranteed
This is not not guaranteed
There is no way this isn't guaranteed
You can't lose.
You cannot lose
You can’t lose with $DODO
You can't go wrong here
It can only go up.
It only goes up
The price will go up
The price is going to go up tomorrow
$DODO will go up!
The token will go up after the vote
The value will go up with each burn
It will go up from here
It will only go up
Your bags will go up
This will moon
It is about to pump
It is about to explode
It will skyrocket
The price will rise
10x gains for the early
A 5x return awaits
50x profits await
The next 100x
Easy 10x
It will 10x by Friday
Double your money
Triple your bag
10x your stack
Free money for holders
Easy money today
Passive income for all
Financial freedom starts here
Generational wealth
Life-changing gains
A safe investment
A sure thing
It is risk-free
Zero risk
There is no risk
Risk. Free.
Risk: free!
We promise returns to all
Promised profits for all
We promise profits
Assured profits
Certain profits await
You will earn daily
You'll earn while you sleep
You will be rich in a month
We will be rich
We'll be rich by June
We will all be rich
You could be rich!
Holders will be rich soon
Be rich in 30 days
You are still early
You're still early
We are still early
We are still early 🚀
Still early. Get your bags.
Still early, friends
It is still so early
It's still early to buy
It is still early enough
Get in early
Get in now
Last chance to buy
Last chance
Last. Chance.
Last... chance, everyone
Act. Now.
Act, now!
Buy. Now!
ACT NOW
Act fast or lose it
Hurry up
Hurry, the window closes
Final chance
Last call for $DODO
Don't miss it
Do not miss this
Before it's too late
Too late to buy? Never.
Limited time offer
Time is running out
Only 3 hours left
Only hours left
Now or never
Once in a lifetime
Pure FOMO
You will regret waiting
Load your bags
Fill your bags
Ape in
gu` + "\u200b" + `arante` + "\u2060" + `ed profit
g u a r a n t e e d
g.u.a.r.a.n.t.e.e.d
g . u . a . r . a . n . t . e . e . d
guar-anteed
guаrаntееd in Cyrillic
𝐠𝐮𝐚𝐫𝐚𝐧𝐭𝐞𝐞𝐝
ＧＵＡＲＡＮＴＥＥＤ
guáränteed
ɢᴜᴀʀᴀɴᴛᴇᴇᴅ
🅶🆄🅰🆁🅰🅽🆃🅴🅴🅳
#Guaranteed
#ToTheMoon
No fear, just guaranteed gains
No team dumps means guaranteed gains
Not even whales can stop this, will moon
Don't let fear stop you, you will profit
You can't afford to miss it: last chance
Can you say no to free money?
Nobody says no to free money
Never say never, get in early
No other token will moon like this
Ain't no stopping: to the moon
There is no better safe investment
There isn't a safer sure thing
No strings attached free money
If not now, when? Act now
If you don't act now you will regret it
Unless you hate profit, no reason to wait, buy now
It's not a question of if but when it will moon
Not if but when: it will moon
We do not joke: you will be rich
None will regret it, none: guaranteed
Never has it been easier to get rich
You won't regret, you'll earn
Not investing means you will regret it
Doubt nothing, price will go up
Not for the weak: 100x soon
No dev, no tax, no risk
No more waiting, act fast
Don't be late, get in now
Act 🔥 now
A-c-t n-o-w
bu𝓎 n0w? No: b u y  n o w
Lаst chаnce
ｂｕｙ ｎｏｗ
#StillEarly
1 0 x   g a i n s
r.i.s.k f.r.e.e
Nо tax and guаrаnteed profit`

// honest are sentences that promise nothing.
const honest = `We can't promise profit.
We cannot promise a profit.
We can not promise profits.
We don't promise profits, and nobody else should.
We will not promise returns.
We won't promise returns.
We never promised profit.
Nobody promised profits.
Nobody here promises returns.
Nobody can promise returns.
Nobody can guarantee anything.
Nobody is guaranteed anything.
No one can guarantee that.
Nothing here is guaranteed.
Nothing is guaranteed.
Nothing we do is guaranteed.
Nothing we build is guaranteed.
Nothing in this thread is guaranteed.
Nothing about this is risk free.
No profit is guaranteed
No profits are guaranteed.
No price is guaranteed.
No outcome is guaranteed.
No outcome can be guaranteed.
No result has been guaranteed.
No token is risk free.
No investment is risk-free.
No trade is a sure thing.
No whale can guarantee a price.
No agent will guarantee you anything.
No future price is guaranteed.
No guarantee.
No guarantees.
No guarantees are given.
No promises, no guarantees.
No promise of profit.
No promise of profits or returns.
No promises of returns here.
No promise that the price will go up.
This is not a promise of returns
This is not a guarantee.
This is not risk free.
This is not a safe investment.
This is not easy money.
This is no safe investment.
This is no promise of profit, it is a log.
It is not guaranteed that anyone comes.
It is not yet guaranteed.
It isn't guaranteed, and it won't moon.
It won't make you rich.
It will not make you rich.
It will never make you rich.
It is hardly a sure thing.
That doesn't mean the price will rise.
That does not mean it will pump.
This is neither guaranteed nor likely.
Neither profit nor return is guaranteed.
Profit is not promised, nor is it guaranteed.
None of this is guaranteed.
None of it is risk free.
Profits are never guaranteed
Profit is not guaranteed.
Returns were never guaranteed.
Gains aren't guaranteed.
A verdict is never guaranteed.
You are not guaranteed a profit.
You will not get rich here.
You won't get rich with this.
You can't get rich by reading a log.
You should not expect guaranteed gains.
Don't expect guaranteed gains
Don't expect a guarantee from us.
Don't expect that the price will go up.
Do not expect that it will moon.
Don't trust anyone who promises profits.
Never trust anyone promising guaranteed returns.
Never trust a promise of profit.
Don't believe anyone who says it will moon.
Don't believe whoever says you can't lose.
Don't hurry.
Don't act fast.
Do not buy now because of a post.
Don't buy now because of us.
Never ape in.
Never buy now and ask later.
No need to hurry.
No reason to hurry.
There is no hurry.
There is no need to act now.
There is no guarantee of anything.
There is no guarantee that it works.
There is no free money.
There is no such thing as easy money.
There is no such thing as risk free.
There is no sure thing in this market.
There is no last chance here.
There isn't any guarantee.
There are no guarantees on day 7 either.
Without guarantees, with receipts.
Without any promise of profit.
Without any guarantee.
We make no promise of profit.
We make no promises of returns.
We give no guarantee.
We offer no guarantee of anything.
We do not say it will pump.
We don't know if the price will go up.
We do not know whether it will go up.
Nobody knows whether the price will rise.
Nobody knows if it will moon.
We can't tell whether the price will go up.
We can't say that it will go up.
Nobody says it will go up.
Nobody said that it will moon.
What is not promised: anything about the price.
It is still early in the vote.
We are still early in the vote, so the numbers are small.
The vote is still early in its second day.
Still early in the vote: 40 of 400 have voted.
It is still early on day 3.
The archive will be rich in detail.
The log will be rich in numbers.
The site will be rich in pictures of birds.
What we know of the risk: free tools for all are listed below.
Mind the risk, free of charge explained.
We looked at the risk. Free tools come next.
A risk, free of charge, was read out.
How to act: now the steps.
What to buy? Now we do not say.
What the agents get: in early March they had 12 dollars.
The last: chance had no part in it.
The site will go up at noon.
The page will go up tomorrow.
The poll is going to go up at 12:00 UTC.
A picture of the moon goes with it.
The moon is full tonight
The dodo looks at the moon.
It dances again. 412 holders, 3 more than yesterday.
5x more buyers than on day 1
The vote was 3x as large as on day 2.
Liquidity fell by 4 %. The chart shows it.
Volume doubled and halved again.
Early on day 3 the deploy failed. The fix took an hour.
The unguaranteed loan
We lose track. Nobody acts. Now it rains.
Time runs out for nobody
Six agents and a person decided this, and it cost four dollars
The price fell. We write that down as well.
The price rose by 3 % and nobody knows why.
Nobody of this team writes to you first.
The verdict comes on day 7, by a rule that was published before.
What this takeover has cost so far: $41.20 of $120.
The contract can't mint: its owner is the zero address.
The team can't move your tokens.
Nobody can undo a burn.
A person rejected the draft: too proud.
The vote ends at 18:00 UTC.
Two of ten criteria were missed.
Read the pinned message before you click anything.
The largest wallet sold a third. It stands in the log.
We were late, and we say so.
The keys go to the community or to nobody.
The group has 188 members, six fewer than on Monday.
Ask for the receipt; every line has one.
The chart is flat. There is a museum of flightless birds in Mauritius.
Half of the month is over.
The quiz has 64 players.
No advice in here.
Neither advice nor a promise.
This may lose all of its value.
You can lose all that you put in.
We are not in a position to guarantee anything.
Nobody has been promised profits by us.
The agents don't give any guarantee, and neither does the team.
There was never a promise of profit.
A verdict "alive" is not a promise of returns.
Please don't take this as a guarantee.
Do not read this as a promise of profit.
Nobody should act fast because of a post.
Not a word here is a guarantee.
Nothing here should be read as a guarantee.
We do not believe in easy money.
We are not here to make you rich.
This token won't make anyone rich, and can't go up by itself.
Nobody needs to hurry.
We do not do FOMO.
No FOMO, please.
This isn't about FOMO.
The account was silent; nobody was in a hurry.
There's neither a guarantee nor a refund.
It comes without a guarantee.
The price may fall. No one promises returns.
Past numbers do not guarantee future ones.
This does not guarantee anything.
A burn does not mean that the price will go up.
We never said it will pump.
Buying is not risk free.
Whoever promises more is not us.`

func TestPromisesAreRefused(t *testing.T) {
	t.Parallel()
	missed, all := 0, strings.Split(promises, "\n")
	for _, text := range all {
		if len(preflight.Banned(text, app.BannedPhrases())) == 0 {
			missed++
			t.Errorf("%q gets through", text)
		}
	}
	t.Logf("%d of %d get through", missed, len(all))
}

func TestHonestSentencesPass(t *testing.T) {
	t.Parallel()
	refused, all := 0, strings.Split(honest, "\n")
	for _, text := range all {
		if found := preflight.Banned(text, app.BannedPhrases()); len(found) > 0 {
			refused++
			t.Errorf("%q is refused for %q", text, found)
		}
	}
	t.Logf("%d of %d are refused", refused, len(all))
}
