package engine_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/thresholds"
)

// pair is a key to sign with, as OPA takes it, and the key to verify with.
type pair struct {
	signing   *bundle.SigningConfig
	verifying engine.BundleKey
}

func pairOf(t *testing.T, algorithm string) pair {
	t.Helper()
	private, public := []byte("a secret of thirty-two characters or more"), []byte("a secret of thirty-two characters or more")
	switch algorithm {
	case "RS256":
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
		private, public = pems(t, key, key.Public())
	case "ES256":
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		private, public = pems(t, key, key.Public())
	}
	return pair{bundle.NewSigningConfig(string(private), algorithm, ""), engine.BundleKey{Key: public, Algorithm: algorithm}}
}

func pems(t *testing.T, key crypto.PrivateKey, public crypto.PublicKey) (private, shown []byte) {
	t.Helper()
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	rawPublic, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: rawPublic})
}

func unsignedBundle() map[string][]byte {
	return map[string][]byte{
		"data.json": []byte(`{"a": 5000, "b": ["x", {"c": true}]}`), "policies/a.rego": []byte("package a\n"), ".manifest": []byte(`{"roots":[""]}`), "README.md": []byte("for people\n"),
	}
}

// sign adds the signature that OPA makes of these files.
func (p pair) sign(t *testing.T, files map[string][]byte, keyID string) map[string][]byte {
	t.Helper()
	files = maps.Clone(files)
	files[".signatures.json"] = signaturesOf(t, p.token(t, files, keyID))
	return files
}

func (p pair) token(t *testing.T, files map[string][]byte, keyID string) string {
	t.Helper()
	hasher, err := bundle.NewSignatureHasher("SHA-256")
	require.NoError(t, err)
	var all []bundle.FileInfo
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var value any = files[name]
		if bundle.IsStructuredDoc(name) {
			require.NoError(t, util.Unmarshal(files[name], &value))
		}
		sum, err := hasher.HashFile(value)
		require.NoError(t, err)
		all = append(all, bundle.NewFile(name, hex.EncodeToString(sum), "SHA-256"))
	}
	token, err := bundle.GenerateSignedToken(all, p.signing, keyID)
	require.NoError(t, err)
	return token
}

func signaturesOf(t *testing.T, tokens ...string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"signatures": tokens})
	require.NoError(t, err)
	return text
}

func TestASignatureHoldsForExactlyItsFiles(t *testing.T) {
	for _, algorithm := range []string{"RS256", "ES256", "HS256"} {
		t.Run(algorithm, func(t *testing.T) {
			own, other := pairOf(t, algorithm), pairOf(t, algorithm)
			if algorithm == "HS256" {
				other.verifying.Key = []byte("another secret of thirty-two characters")
			}
			signed := own.sign(t, unsignedBundle(), "ours")
			require.NoError(t, own.verifying.Verify(signed))
			require.ErrorIs(t, other.verifying.Verify(signed), engine.ErrSignature, "another key")

			named := own.verifying
			named.ID = "ours"
			require.NoError(t, named.Verify(signed))
			named.ID = "theirs"
			require.ErrorContains(t, named.Verify(signed), "ours")
			require.ErrorIs(t, named.Verify(own.sign(t, unsignedBundle(), "")), engine.ErrSignature, "a signature that names no key")

			for what, change := range map[string]func(files map[string][]byte){
				"a rule that was edited": func(files map[string][]byte) { files["policies/a.rego"] = []byte("package a \n") },
				"data that was edited":   func(files map[string][]byte) { files["data.json"] = []byte(`{"a": 5001, "b": ["x", {"c": true}]}`) },
				"data with a key twice": func(files map[string][]byte) {
					files["data.json"] = []byte(`{"a": 1, "a": 5000, "b": ["x", {"c": true}]}x`)
				},
				"a manifest that was edited": func(files map[string][]byte) { files[".manifest"] = []byte(`{"roots":["a"]}`) },
				"a file of no meaning":       func(files map[string][]byte) { files["README.md"] = nil },
				"a file that was added":      func(files map[string][]byte) { files["policies/b.rego"] = []byte("package b\n") },
				"a file that is missing":     func(files map[string][]byte) { delete(files, "README.md") },
				"a file that was moved": func(files map[string][]byte) {
					files["policies/b.rego"] = files["policies/a.rego"]
					delete(files, "policies/a.rego")
				},
				"no signature":    func(files map[string][]byte) { delete(files, ".signatures.json") },
				"an empty file":   func(files map[string][]byte) { files[".signatures.json"] = nil },
				"an empty object": func(files map[string][]byte) { files[".signatures.json"] = []byte(`{}`) },
				"no token":        func(files map[string][]byte) { files[".signatures.json"] = []byte(`{"signatures":[]}`) },
				"another verification": func(files map[string][]byte) {
					files[".signatures.json"] = []byte(strings.Replace(string(files[".signatures.json"]), "{", `{"plugin":"none",`, 1))
				},
				"a field of no meaning": func(files map[string][]byte) {
					files[".signatures.json"] = []byte(strings.Replace(string(files[".signatures.json"]), "{", `{"verified":true,`, 1))
				},
				"two tokens": func(files map[string][]byte) {
					token := own.token(t, unsignedBundle(), "")
					files[".signatures.json"] = signaturesOf(t, token, token)
				},
				"the token of another": func(files map[string][]byte) {
					stranger := other
					stranger.signing = bundle.NewSigningConfig("a key that nobody knows, of enough bytes", "HS256", "")
					files[".signatures.json"] = signaturesOf(t, stranger.token(t, unsignedBundle(), "ours"))
				},
			} {
				files := maps.Clone(signed)
				change(files)
				require.ErrorIs(t, own.verifying.Verify(files), engine.ErrSignature, what)
			}
			files := maps.Clone(signed)
			files["data.json"] = []byte("{\"b\":[\"x\",{\"c\":true}],\n\"a\":5000}")
			require.NoError(t, own.verifying.Verify(files), "the same data, written otherwise")
		})
	}
}

// No byte of what is signed can be changed; the last of the signature itself has bits that are none.
func TestEveryByteOfATokenCounts(t *testing.T) {
	own := pairOf(t, "ES256")
	token := own.token(t, unsignedBundle(), "ours")
	files := unsignedBundle()
	for at := range token {
		for _, other := range []byte("A.-=") {
			if token[at] == other {
				continue
			}
			changed := []byte(token)
			changed[at] = other
			files[".signatures.json"] = signaturesOf(t, string(changed))
			if err := own.verifying.Verify(files); err == nil {
				require.Equal(t, len(token)-1, at)
			}
			files[".signatures.json"] = signaturesOf(t, token[:at])
			require.ErrorIs(t, own.verifying.Verify(files), engine.ErrSignature)
		}
	}
}

// The algorithm is that of the key, whatever the token says: else a public key would be a secret, and none a signature.
func TestTheTokenDoesNotChooseItsAlgorithm(t *testing.T) {
	own := pairOf(t, "RS256")
	payload := strings.Split(own.token(t, unsignedBundle(), "ours"), ".")[1]
	for _, header := range []string{`{"alg":"none"}`, `{"alg":"None","kid":"ours"}`, `{"alg":"HS256"}`, `{}`} {
		files := unsignedBundle()
		files[".signatures.json"] = signaturesOf(t, base64.RawURLEncoding.EncodeToString([]byte(header))+"."+payload+".")
		require.ErrorIs(t, own.verifying.Verify(files), engine.ErrSignature, header)
	}
	forged := pair{bundle.NewSigningConfig("x", "HS256", ""), engine.BundleKey{}}
	files := forged.sign(t, unsignedBundle(), "ours")
	require.ErrorIs(t, own.verifying.Verify(files), engine.ErrSignature)
	for says, key := range map[string]engine.BundleKey{
		"the key is empty":                     {},
		"HS256 takes a secret":                 {Key: own.verifying.Key, Algorithm: "HS256"},
		"RS256 takes a public key as PEM":      {Key: []byte("x")},
		`there is no signing algorithm "none"`: {Key: own.verifying.Key, Algorithm: "none"},
		"ES256 takes a public key":             {Key: []byte(" x "), Algorithm: "ES256"},
		"verify":                               {Key: own.verifying.Key, Algorithm: "ES256"},
	} {
		err := key.Verify(own.sign(t, unsignedBundle(), "ours"))
		require.ErrorIs(t, err, engine.ErrSignature)
		require.ErrorContains(t, err, says)
	}
}

// OPA signs what data means to it and not its bytes: whatever is read here as something else must not load.
func TestDataMeansWhatOPASignsOrDoesNotLoad(t *testing.T) {
	alike := 0
	for _, text := range []string{
		"a: 1", "a: yes", "a: on", "a: NO", "a: Off", "a: true", "a: True", "a: 012", "a: 0o12", "a: 0x10", "a: 0b1", "a: 1_0", "a: 1:30", "a: 1e1", "a: 10.0", "a: 1.", "a: .5", "a: -0", "a: +1", "a: .inf", "a: ~", "a: null", "a:",
		"a: 2026-01-02", "a: !!str 1", "a: &x 1\nb: *x", "a: <<", "<<: {a: 1}", "1: 2", "\"1\": 2", "yes: 2", "null: 1", "? a\n: 1", "? [a]\n: 1", "a: b\n---\nb: 1", "a: 9007199254740993", "a: 99999999999999999999", "a: |\n x", "a: >\n x\n y", `a: "\u00e9"`, "a: 'x''y'",
		`{"a":1,"a":2}`, `{"a":1e1}`, `{"a":1.0}`, `{"a":-0}`, `{"a":"\u003c"}`, `{"a":null}`, `{"a":[1,[2]]}`, `{"a":{}}`, `{"a":[]}`, `{"a":1}{"b":2}`, "\ufeff{\"a\":1}", "[1]", "1",
	} {
		tree, problems := thresholds.Parse("data.yaml", []byte(text))
		if len(problems) > 0 {
			continue
		}
		alike++
		read, err := tree.Canonical()
		require.NoError(t, err)
		var signed any
		require.NoError(t, util.Unmarshal([]byte(text), &signed), text)
		want, err := json.Marshal(signed)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(read), text)
	}
	require.Greater(t, alike, 10)
}
