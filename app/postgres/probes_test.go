package postgres_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testdb"
)

// TestOneProcessAsksAModel however many start at the same instant.
func TestOneProcessAsksAModel(t *testing.T) {
	t.Parallel()
	store := testdb.New(t)
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	claims := func(at time.Time) int32 {
		var won atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				mine, err := store.ClaimModelProbe(t.Context(), "here", "gpt", at)
				if err != nil {
					t.Error(err)
				}
				if mine {
					won.Add(1)
				}
			})
		}
		all.Wait()
		return won.Load()
	}
	save := func(p app.ModelProbe) {
		if err := store.SaveModelProbe(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name  string
		after time.Duration
		save  *app.ModelProbe
		want  int32
	}{
		{"the first time", 0, nil, 1},
		{"while it is asked", 9 * time.Minute, nil, 0},
		{"the asker died", 11 * time.Minute, nil, 1},
		{"it answered", 12 * time.Minute, &app.ModelProbe{Endpoint: "here", Model: "gpt", Answered: true, Tools: true, Cost: 7, Fault: "\x00odd"}, 0},
		{"a day later", 25 * time.Hour, nil, 1},
		{"nobody was there", 26 * time.Hour, &app.ModelProbe{Endpoint: "here", Model: "gpt", Fault: "down"}, 1},
	} {
		if step.save != nil {
			save(*step.save)
		}
		if got := claims(now.Add(step.after)); got != step.want {
			t.Errorf("%s: %d ask, want %d", step.name, got, step.want)
		}
	}
	save(app.ModelProbe{Endpoint: "here", Model: "gpt", Answered: true, Usage: true, Streams: true, Cost: 9, Fault: "no\x00tools"})
	got, err := store.ModelProbes(t.Context(), "here")
	if err != nil || len(got) != 1 || !got[0].Answered || got[0].Tools || !got[0].Usage || got[0].Cost != 9 || strings.Contains(got[0].Fault, "\x00") {
		t.Errorf("got %+v, %v", got, err)
	}
	if other, err := store.ModelProbes(t.Context(), "elsewhere"); err != nil || len(other) != 0 {
		t.Errorf("got %+v, %v", other, err)
	}
}

// TestCheckUp reads and writes nothing, on a new database as on an old one.
func TestCheckUp(t *testing.T) {
	t.Parallel()
	c, err := testdb.New(t).CheckUp(t.Context())
	if err != nil || c.Schema == 0 || c.Schema != c.Knows || c.InUse < 1 || c.Most < c.InUse || c.ReadOnly || !strings.HasPrefix(c.Server, "1") {
		t.Errorf("got %+v, %v", c, err)
	}
}
