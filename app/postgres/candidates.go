package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// SaveCandidate keeps what was found of a token, in place of what was found before.
func (s *Store) SaveCandidate(ctx context.Context, tokenID int64, state app.CandidateState, score int, report any, now time.Time) error {
	err := s.q.SaveCandidate(ctx, s.pool, dbsqlc.SaveCandidateParams{TokenID: tokenID, State: string(state), Score: score, Report: mustJSON(report), UpdatedAt: now})
	if err != nil {
		return fmt.Errorf("save candidate: %w", err)
	}
	return nil
}

// Candidates returns the tokens that may be taken over, best score first: of a
// state, empty for any, behind the first skip ones.
func (s *Store) Candidates(ctx context.Context, state app.CandidateState, skip, most int) ([]app.CandidateSummary, error) {
	rows, err := s.q.Candidates(ctx, s.pool, dbsqlc.CandidatesParams{State: string(state), Skip: int32(skip), Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("list candidates: %w", err)
	}
	out := make([]app.CandidateSummary, len(rows))
	for i, r := range rows {
		out[i] = candidateOf(r.Candidate, r.Token)
	}
	return out, nil
}

// Candidate returns one with its report.
func (s *Store) Candidate(ctx context.Context, ref app.TokenRef) (app.Candidate, error) {
	r, err := s.q.Candidate(ctx, s.pool, dbsqlc.CandidateParams{ChainID: ref.ChainID, Address: ref.Address[:]})
	if err != nil {
		return app.Candidate{}, notFound(err, "candidate")
	}
	return app.Candidate{CandidateSummary: candidateOf(r.Candidate, r.Token), Report: r.Candidate.Report, Slug: r.Slug, Takeover: app.OperationState(r.Takeover)}, nil
}

func candidateOf(c dbsqlc.Candidate, t dbsqlc.Token) app.CandidateSummary {
	return app.CandidateSummary{Token: tokenOf(t), State: app.CandidateState(c.State), Score: c.Score, UpdatedAt: c.UpdatedAt.UTC()}
}
