package main

import (
	"encoding/base64"
	"encoding/hex"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Each check returns what is wrong with a value as the end of the sentence
// "NAME is …, which …", or of "NAME …" for a secret; empty when nothing is.

func isWebURL(v string) string {
	return isURL(v, "is not a web address, such as https://host/path", "http", "https")
}

func isOrigin(v string) string {
	const want = "is not a web address without a path, such as https://vivra.example"
	if u, err := url.Parse(v); err == nil && (strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "") {
		return want
	}
	return isURL(v, want, "http", "https")
}

func isRPCURL(v string) string {
	return isURL(v, "is not an address that starts with https://, http://, wss:// or ws://", "https", "http", "wss", "ws")
}

func isURL(v, otherwise string, schemes ...string) string {
	u, err := url.Parse(v)
	if err != nil || u.Hostname() == "" {
		return otherwise
	}
	for _, s := range schemes {
		if u.Scheme == s {
			return ""
		}
	}
	return otherwise
}

func isDatabaseURL(v string) string {
	if u, err := url.Parse(v); err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return "is not a database address, such as postgres://user:password@host:5432/vivra"
	}
	return ""
}

func isBlobURL(v string) string {
	if u, err := url.Parse(v); err != nil || !(u.Scheme == "file" && u.Path != "") && u.Scheme != "mem" {
		return "is not a store of files: file:///a/folder, or mem:// which forgets"
	}
	return ""
}

func isListenAddress(v string) string {
	_, port, err := net.SplitHostPort(v)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return "is not host:port, such as 127.0.0.1:8080 or :8080"
	}
	return ""
}

// localAddress is where a browser on this machine reaches a valid addr.
func localAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // a fault already
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func isFolder(v string) string {
	if info, err := os.Stat(v); err != nil || !info.IsDir() {
		return "is not a folder that can be read"
	}
	return ""
}

func isFile(v string) string {
	if info, err := os.Stat(v); err != nil || !info.Mode().IsRegular() {
		return "is not a file that can be read"
	}
	return ""
}

func isKey(v string) string {
	if _, ok := decodeKey(v); !ok {
		return "is not 32 bytes in hex (64 digits) or base64: make one with openssl rand -hex 32"
	}
	return ""
}

const keyLength = 32

func decodeKey(v string) ([]byte, bool) {
	if b, err := hex.DecodeString(v); err == nil && len(b) == keyLength {
		return b, true
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := e.DecodeString(strings.TrimRight(v, "=")); err == nil && len(b) == keyLength {
			return b, true
		}
	}
	return nil, false
}

var (
	domain        = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	botToken      = regexp.MustCompile(`^[0-9]+:[A-Za-z0-9_-]+$`)
	webhookSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)
	alertSecret   = regexp.MustCompile(`^[!-~]{16,256}$`)
	cloudflareID  = regexp.MustCompile(`^[0-9a-f]{32}$`)
	word          = regexp.MustCompile(`^[!-~]+$`)
)

func isDomain(v string) string {
	if len(v) > 200 || !domain.MatchString(v) {
		return "is not a domain name in lower case, such as vivra.example"
	}
	return ""
}

func isBotToken(v string) string {
	return matches(botToken, v, "is not a bot token: digits, a colon, letters and digits, as BotFather gave it")
}

func isWebhookSecret(v string) string {
	return matches(webhookSecret, v, "may hold 16 to 256 letters, digits, _ and - only")
}

func isChat(v string) string {
	if n, err := strconv.ParseInt(v, 10, 64); err != nil || n == 0 {
		return "is not a chat's number, such as -1001234567890"
	}
	return ""
}

func isAlertSecret(v string) string {
	return matches(alertSecret, v, "may hold 16 to 256 characters without spaces only: make one with openssl rand -hex 32")
}

func isCloudflareID(v string) string {
	return matches(cloudflareID, v, "is not a Cloudflare id of 32 hex digits")
}

func isWord(v string) string {
	return matches(word, v, "holds a space or a character that can't stand in a header")
}

func matches(re *regexp.Regexp, v, otherwise string) string {
	if re.MatchString(v) {
		return ""
	}
	return otherwise
}

func quote(v string) string { return strconv.Quote(v) }
