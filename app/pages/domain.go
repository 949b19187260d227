package pages

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/cloudflare/cloudflare-go/v6/dns"
	"github.com/cloudflare/cloudflare-go/v6/option"
)

// attach gives the project its host name: the association first, then the
// record, for a record alone answers 522. Both are looked up before they are made.
func (h *Host) attach(ctx context.Context, project projectObject, host string) error {
	if err := h.ensureDomain(ctx, project.Name, host); err != nil {
		return fmt.Errorf("attach %s: %w", host, err)
	}
	if err := h.ensureRecord(ctx, host, project.Subdomain); err != nil {
		return fmt.Errorf("point %s: %w", host, err)
	}
	return nil
}

func (h *Host) ensureDomain(ctx context.Context, project, host string) error {
	path := h.projectPath(project) + "/domains"
	var domains []struct {
		Name string `json:"name"`
	}
	if err := h.patiently(ctx, func() error { return h.get(ctx, path, &domains) }); err != nil {
		return err
	}
	for _, domain := range domains {
		if strings.EqualFold(domain.Name, host) {
			return nil
		}
	}
	return h.post(ctx, path, h.cfg.Token, map[string]string{"name": host}, nil)
}

// ensureRecord makes host a proxied CNAME of target. A record of the same name
// that points elsewhere is turned; one of another type is somebody's and stays.
func (h *Host) ensureRecord(ctx context.Context, host, target string) error {
	records, err := h.records(ctx, host)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		var params dns.RecordNewParams
		params.ZoneID.Value, params.ZoneID.Present = h.cfg.ZoneID, true
		params.Body = cname(host, target)
		_, err := h.dns.New(ctx, params)
		return err
	}
	record := records[0]
	if record.Type != dns.RecordResponseTypeCNAME {
		return fmt.Errorf("there is already a record of type %s", record.Type)
	}
	if strings.EqualFold(record.Content, target) && record.Proxied {
		return nil
	}
	var params dns.RecordEditParams
	params.ZoneID.Value, params.ZoneID.Present = h.cfg.ZoneID, true
	params.Body = cname(host, target)
	_, err = h.dns.Edit(ctx, record.ID, params)
	return err
}

// records returns those of types that can't stand beside a CNAME, or are one.
func (h *Host) records(ctx context.Context, host string) ([]dns.RecordResponse, error) {
	var params dns.RecordListParams
	params.ZoneID.Value, params.ZoneID.Present = h.cfg.ZoneID, true
	page, err := h.dns.List(ctx, params, option.WithQuery("name.exact", host))
	if err != nil {
		return nil, err
	}
	return page.Result, nil
}

// cname fills the library's optional fields by hand: their constructor is in
// its root package, which costs half a minute of every build.
func cname(host, target string) dns.CNAMERecordParam {
	var c dns.CNAMERecordParam
	c.Name.Value, c.Name.Present = host, true
	c.Type.Value, c.Type.Present = dns.CNAMERecordTypeCNAME, true
	c.Content.Value, c.Content.Present = target, true
	c.TTL.Value, c.TTL.Present = 1, true // automatic
	c.Proxied.Value, c.Proxied.Present = true, true
	return c
}

// refuse turns the library's refusals into this package's error.
func refuse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return res, transportError(err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		if err := decode(res, nil); err != nil {
			return nil, err
		}
	}
	return res, nil
}
