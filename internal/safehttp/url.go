package safehttp

import (
	"fmt"
	"net"
	"net/url"

	"github.com/dougu-go/dougu/internal/origin"
)

// CheckParsed returns an error unless u is an http or https URL without a user. http is allowed only for this
// machine; see IsLocalName.
func CheckParsed(u *url.URL) error {
	name := u.Redacted()
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%.200q is not a URL of a web server: it does not begin with https://", name)
	case u.Hostname() == "":
		return fmt.Errorf("%.200q is not a URL of a web server: it names no host", name)
	case u.User != nil:
		return fmt.Errorf("%.200q has a user in it", name)
	case u.Scheme == "http" && !IsLocalName(u.Hostname()):
		return notEncrypted(name)
	}
	return nil
}

// CheckURL is CheckParsed for the text of a URL, and stricter: it may have no fragment, and without encryption only be of
// localhost or a loopback address, since not every resolver knows that the names under localhost are this machine.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("%.200q is not a URL that begins with https://", text)
	}
	if err := CheckParsed(u); err != nil {
		return err
	}
	switch {
	case u.Fragment != "":
		return fmt.Errorf("%.200q has a fragment", text)
	case u.Scheme == "http" && !origin.IsLoopback(u.Hostname()):
		return notEncrypted(text)
	}
	return nil
}

// PageURL returns a URL in its normal form if it is that of a web page: http or https, with a host, without a user, and of at most so
// many bytes. Otherwise it returns "". It is for links that a person or a model sees.
func PageURL(text string, most int) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(text) > most {
		return ""
	}
	return u.String()
}

func notEncrypted(name string) error {
	return fmt.Errorf("%.200q is not encrypted; only https is, and http on this machine", name)
}

// HostPort returns the host and port to connect to for a URL of a web server or a proxy.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
