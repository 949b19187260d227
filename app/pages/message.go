package pages

import (
	"fmt"
	"regexp"
	"strconv"
)

// message is what a deployment's commit message says: enough to make the
// receipt again when the answer to its creation was lost.
type message struct {
	key, manifest string
	files         int
	bytes         int64
}

func (m message) String() string {
	return fmt.Sprintf("%s manifest=%s files=%d bytes=%d", m.key, m.manifest, m.files, m.bytes)
}

var messageForm = regexp.MustCompile(`^(\S+) manifest=([0-9a-f]{64}) files=(\d+) bytes=(\d+)$`)

func parseMessage(text string) (message, bool) {
	parts := messageForm.FindStringSubmatch(text)
	if parts == nil {
		return message{}, false
	}
	files, err1 := strconv.Atoi(parts[3])
	size, err2 := strconv.ParseInt(parts[4], 10, 64)
	return message{parts[1], parts[2], files, size}, err1 == nil && err2 == nil
}

func (m message) receipt(d deploymentObject) Receipt {
	return Receipt{DeploymentID: d.ID, URL: d.URL, Files: m.files, Bytes: m.bytes, ManifestSHA256: m.manifest}
}
