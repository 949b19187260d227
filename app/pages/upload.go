package pages

import (
	"context"
	"fmt"
	"net/http"
)

// upload sends the files Cloudflare does not have yet.
func (h *Host) upload(ctx context.Context, project string, b bundle) error {
	up := uploader{Host: h, project: project}
	all := map[string][]string{"hashes": b.hashes()}
	var missing []string
	if err := up.post(ctx, "/pages/assets/check-missing", all, &missing); err != nil {
		return fmt.Errorf("ask for missing files: %w", err)
	}
	for _, bucket := range b.buckets(missing) {
		if err := up.post(ctx, "/pages/assets/upload", bucket, nil); err != nil {
			return fmt.Errorf("upload files: %w", err)
		}
	}
	if err := up.post(ctx, "/pages/assets/upsert-hashes", all, nil); err != nil {
		return fmt.Errorf("confirm files: %w", err)
	}
	return nil
}

// buckets splits what is to be uploaded by Cloudflare's limits for one call.
func (b bundle) buckets(hashes []string) [][]asset {
	var all [][]asset
	var current []asset
	size := 0
	for _, hash := range hashes {
		name, known := b.files[hash]
		if !known {
			continue
		}
		if length := len(b.content[name]); len(current) == maxBucketFiles || size+length > maxBucket {
			all, current, size = append(all, current), nil, 0
		}
		current, size = append(current, b.asset(hash)), size+len(b.content[name])
	}
	if len(current) > 0 {
		all = append(all, current)
	}
	return all
}

// uploader holds the short-lived token that the asset calls want.
type uploader struct {
	*Host
	project string
	jwt     string
}

// post fetches a token when there is none, and once more when it has expired.
func (u *uploader) post(ctx context.Context, path string, in, out any) error {
	fresh := u.jwt == ""
	return u.patiently(ctx, func() error {
		if err := u.authorise(ctx); err != nil {
			return err
		}
		err := u.Host.post(ctx, path, u.jwt, in, out)
		if isStatus(err, http.StatusUnauthorized) && !fresh {
			u.jwt, fresh = "", true
			if err := u.authorise(ctx); err != nil {
				return err
			}
			return u.Host.post(ctx, path, u.jwt, in, out)
		}
		return err
	})
}

func (u *uploader) authorise(ctx context.Context) error {
	if u.jwt != "" {
		return nil
	}
	var token struct {
		JWT string `json:"jwt"`
	}
	if err := u.get(ctx, u.projectPath(u.project)+"/upload-token", &token); err != nil {
		return fmt.Errorf("get an upload token: %w", err)
	}
	u.jwt = token.JWT
	return nil
}
