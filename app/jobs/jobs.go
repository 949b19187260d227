// Package jobs runs work on whichever process is free. A job only wakes a
// worker: the truth, its lease and its retries are in our own rows.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"

	"vivra/app"
)

// Do carries out one job.
type Do func(ctx context.Context, job app.Job) error

// args is a job as River stores it.
type args struct {
	Job app.Job `json:"job"`
}

// Kind names the jobs in River's table.
func (args) Kind() string { return "vivra" }

// Workers take jobs from the database. TTx is the driver's transaction type.
type Workers[TTx any] struct{ client *river.Client[TTx] }

// New prepares workers; Run starts them. At most limit jobs run at a time here.
func New[TTx any](driver riverdriver.Driver[TTx], limit int, do Do, log *slog.Logger) (*Workers[TTx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{do: do, log: log})
	// Of jobs that come within the cooldown of others nobody is told: they wait
	// for the poll.
	const cooldown, poll = time.Millisecond, 250 * time.Millisecond
	client, err := river.NewClient(driver, &river.Config{
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: limit, FetchCooldown: cooldown, FetchPollInterval: poll}},
		Workers:           workers,
		Logger:            slog.New(slog.DiscardHandler), // faults are logged by the worker, once
		JobTimeout:        -1,                            // runs and effects bound themselves
		MaxAttempts:       1,                             // our rows decide what is tried again
		FetchCooldown:     cooldown,
		FetchPollInterval: poll,

		CompletedJobRetentionPeriod: time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare workers: %w", err)
	}
	return &Workers[TTx]{client}, nil
}

// Run works until ctx ends, then waits for what is in hand.
func (w *Workers[TTx]) Run(ctx context.Context) error {
	if err := w.client.Start(ctx); err != nil {
		return fmt.Errorf("start workers: %w", err)
	}
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if err := w.client.StopAndCancel(grace); err != nil {
		return fmt.Errorf("stop workers: %w", err)
	}
	return nil
}

// EnqueueTx hands a job over in the transaction that made it necessary.
func (w *Workers[TTx]) EnqueueTx(ctx context.Context, tx TTx, job app.Job) error {
	_, err := w.client.InsertTx(ctx, tx, args{job}, nil)
	return err
}

// Enqueue hands jobs over by themselves, all or none.
func (w *Workers[TTx]) Enqueue(ctx context.Context, jobs ...app.Job) error {
	all := make([]river.InsertManyParams, len(jobs))
	for i, job := range jobs {
		all[i].Args = args{job}
	}
	_, err := w.client.InsertManyFast(ctx, all)
	return err
}

type worker struct {
	river.WorkerDefaults[args]
	do  Do
	log *slog.Logger
}

// Work carries out one job and logs its failure: nobody else would hear of it.
func (w *worker) Work(ctx context.Context, job *river.Job[args]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("job panicked: %v", p)
		}
		if err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "job failed", "kind", job.Args.Job.Kind, "id", job.Args.Job.ID, "error", err)
		}
		err = nil // a failed job has nothing to retry: its row has
	}()
	return w.do(ctx, job.Args.Job)
}
