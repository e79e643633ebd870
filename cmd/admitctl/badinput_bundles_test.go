package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/engine"
	"github.com/admitctl/admitctl/inputs"
	"github.com/admitctl/admitctl/policies"
	"github.com/admitctl/admitctl/revision"
)

const bundleSecret = "a secret of thirty-two characters or more"

// The shipped policies as "opa build policies" writes them, and as it writes data files with a key.
var (
	plainBundle  = sync.OnceValues(func() ([]byte, error) { return buildShipped("thresholds.yaml", nil) })
	signedBundle = sync.OnceValues(func() ([]byte, error) {
		return buildShipped("data.yaml", bundle.NewSigningConfig(bundleSecret, "HS256", ""))
	})
)

func buildShipped(thresholds string, key *bundle.SigningConfig) ([]byte, error) {
	files := fstest.MapFS{}
	err := fs.WalkDir(policies.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies.Files, name)
		if name == "thresholds.yaml" {
			name = thresholds
		}
		files["policies/"+name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		return nil, err
	}
	return opaBuild(files, "policies", key, "ours")
}

// shippedBundle is one of these, to be edited.
func shippedBundle(t *testing.T, signed bool) []byte {
	t.Helper()
	build := plainBundle
	if signed {
		build = signedBundle
	}
	packed, err := build()
	require.NoError(t, err)
	return bytes.Clone(packed)
}

// repacked is a bundle after an edit of each of its entries; one that gives no header drops the entry. The last call has
// no header, and may add an entry.
func repacked(t *testing.T, packed []byte, change func(header *tar.Header, text []byte) (*tar.Header, []byte)) []byte {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	from, to := tar.NewReader(unzipped), tar.NewWriter(zipped)
	for done := false; !done; {
		header, err := from.Next()
		var text []byte
		if done = errors.Is(err, io.EOF); done {
			header = nil
		} else {
			require.NoError(t, err)
			text, err = io.ReadAll(from)
			require.NoError(t, err)
		}
		if header, text = change(header, text); header != nil {
			header.Size = int64(len(text))
			require.NoError(t, to.WriteHeader(header))
			_, err = to.Write(text)
			require.NoError(t, err)
		}
	}
	require.NoError(t, to.Close())
	require.NoError(t, zipped.Close())
	return out.Bytes()
}

// withEntry adds an entry to the shipped bundle.
func withEntry(header tar.Header, text string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		return repacked(t, shippedBundle(t, false), func(own *tar.Header, old []byte) (*tar.Header, []byte) {
			if own == nil {
				return &header, []byte(text)
			}
			return own, old
		})
	}
}

// resigned is the signed bundle after an edit of one entry.
func resigned(name string, change func(text []byte) []byte) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		found := false
		packed := repacked(t, shippedBundle(t, true), func(own *tar.Header, text []byte) (*tar.Header, []byte) {
			if own == nil || own.Name != name {
				return own, text
			}
			found = true
			if text = change(text); text == nil {
				return nil, nil
			}
			return own, text
		})
		require.True(t, found, name)
		return packed
	}
}

// bundleRows are bundles that must not be read, or that nobody with the key has signed.
func bundleRows() []badInput {
	forged := func(end int, size uint32) func(t *testing.T) []byte {
		return func(t *testing.T) []byte {
			packed := shippedBundle(t, false)
			binary.LittleEndian.PutUint32(packed[len(packed)-end:], size)
			return packed
		}
	}
	without := func([]byte) []byte { return nil }
	rows := []badInput{
		{what: "bundle with a name that leads up", bundle: withEntry(tar.Header{Name: "/policies/../../x.rego"}, "package x\n"), says: []string{`"policies/../../x.rego" is no name of a file in it`}},
		{what: "bundle with an absolute name", bundle: withEntry(tar.Header{Name: "//etc/x.rego"}, "package x\n"), says: []string{`"/etc/x.rego" is no name of a file in it`}},
		{what: "bundle with a symbolic link", bundle: withEntry(tar.Header{Name: "/x.rego", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, ""), says: []string{`"/x.rego" is a link, to "/etc/passwd"`}},
		{what: "bundle with a hard link", bundle: withEntry(tar.Header{Name: "/x.rego", Typeflag: tar.TypeLink, Linkname: "/data.json"}, ""), says: []string{`"/x.rego" is a link, to "/data.json"`}},
		{what: "bundle with a device", bundle: withEntry(tar.Header{Name: "/x.rego", Typeflag: tar.TypeBlock}, ""), says: []string{`"/x.rego" is no regular file`}},
		{what: "bundle with a file twice", bundle: withEntry(tar.Header{Name: "data.json"}, "{}"), says: []string{`"data.json" is there twice`}},
		{what: "bundle with compiled policies", bundle: withEntry(tar.Header{Name: "/policy.wasm"}, ""), says: []string{"compiled policies are not read"}},
		{what: "bundle with a forged size", bundle: forged(4, 10), says: []string{"its checksum or its size is not that of what is in it"}},
		{what: "bundle with a huge forged size", bundle: forged(4, 1<<32-1), says: []string{"its checksum or its size is not that of what is in it"}},
		{what: "bundle with a forged checksum", bundle: forged(8, 0), says: []string{"its checksum or its size is not that of what is in it"}},
		{what: "bundle that is cut off", bundle: func(t *testing.T) []byte { packed := shippedBundle(t, false); return packed[:len(packed)/2] }, says: []string{"the archive is cut off"}},
		{what: "bundle with something behind it", bundle: func(t *testing.T) []byte { return append(shippedBundle(t, false), "x"...) }, says: []string{"1 bytes follow the archive"}},
		{what: "bundle that unpacks to far more", bundle: withEntry(tar.Header{Name: "/x.rego"}, string(make([]byte, 32<<20))), says: []string{"it unpacks to more than"}, kind: revision.ErrLimit},
		{what: "bundle that is signed, and no key", bundle: func(t *testing.T) []byte { return shippedBundle(t, true) }, says: []string{"the bundle is signed, and there is no key to verify it"}, kind: revision.ErrSignature},
		{what: "bundle with another key", key: "another secret of thirty-two characters", bundle: func(t *testing.T) []byte { return shippedBundle(t, true) }, says: []string{"failed to verify JWT signature"}, kind: engine.ErrSignature},
		{what: "bundle that was never signed", key: bundleSecret, bundle: func(t *testing.T) []byte { return shippedBundle(t, false) }, says: []string{"the bundle is not signed, and a key was given"}, kind: revision.ErrSignature},
		{what: "bundle with a stripped signature", key: bundleSecret, bundle: resigned("/.signatures.json", without), says: []string{"the bundle is not signed, and a key was given"}, kind: revision.ErrSignature},
		{what: "bundle with an empty signature", key: bundleSecret, bundle: resigned("/.signatures.json", func([]byte) []byte { return []byte("{}") }), says: []string{"missing JWT"}, kind: engine.ErrSignature},
		{what: "signed bundle with another threshold", key: bundleSecret, bundle: resigned("/data.json", func(text []byte) []byte { return bytes.Replace(text, []byte("5000"), []byte("9000"), 1) }), says: []string{"data.json: digest mismatch"}, kind: engine.ErrSignature},
		{what: "signed bundle with another rule", key: bundleSecret, bundle: resigned("/guard/guard.rego", func(text []byte) []byte { return append(text, "\nless(_, _)\n"...) }), says: []string{"guard/guard.rego: digest mismatch"}, kind: engine.ErrSignature},
		{what: "signed bundle without a file", key: bundleSecret, bundle: resigned("/fanout/document.rego", without), says: []string{"signed, and not in the bundle: fanout/document.rego"}, kind: engine.ErrSignature},
		{what: "signed bundle with a file more", key: bundleSecret, bundle: func(t *testing.T) []byte {
			return repacked(t, shippedBundle(t, true), func(own *tar.Header, text []byte) (*tar.Header, []byte) {
				if own == nil {
					return &tar.Header{Name: "/x.rego"}, []byte("package admission.compaction\n")
				}
				return own, text
			})
		}, says: []string{"file x.rego not included in bundle signature"}, kind: engine.ErrSignature},
	}
	for i := range rows {
		rows[i].row = 30
		if rows[i].kind == nil {
			rows[i].kind = revision.ErrBundle
		}
	}
	return rows
}

// testBundle has a bundle in force, and a bad one in its place: it is refused, and the last good program decides.
func (row badInput) testBundle(t *testing.T) {
	name, key := row.name()+".tar.gz", row.name()+".key"
	var options revision.Options
	args := []string{"eval", "-f", "json", "-p", name, "good.json"}
	if row.key != "" {
		options.Verify = engine.BundleKey{Key: []byte(row.key), Algorithm: "HS256"}.Verify
		args = append(args, "--verification-key", key, "--signing-alg", "HS256")
	}
	inForce, err := shipped()
	require.NoError(t, err)
	before := inForce
	reload := func() error {
		opened, err := revision.Open(t.Context(), name, options)
		if err == nil {
			inForce, err = inForce.Reload(t.Context(), opened.FS, engine.Named(opened.Root))
		}
		return err
	}
	writeFiles(t, ".", map[string]string{name: string(row.bundle(t)), key: row.key})
	err = reload()
	row.requireError(t, err, name)
	require.ErrorIs(t, err, revision.ErrBundle)
	require.Same(t, before, inForce)
	document, err := inputs.Decode([]byte(good), inputs.Source{})
	require.NoError(t, err)
	decision, err := inForce.Decide(t.Context(), document)
	require.NoError(t, err)
	require.True(t, decision.Admit)

	code, out, complaint, err := outcome(t, args...)
	row.requireError(t, err, name)
	require.Equal(t, exitNoVerdict, code)
	require.Empty(t, out)
	for _, part := range append(row.says, name) {
		require.Contains(t, complaint, part)
	}
}

// The bundles that the rows are edits of load, and decide as the directory does.
func TestTheShippedBundlesDecideAsTheDirectory(t *testing.T) {
	directory, err := shipped()
	require.NoError(t, err)
	for _, signed := range []bool{false, true} {
		name := t.TempDir() + "/b.tar.gz"
		require.NoError(t, os.WriteFile(name, shippedBundle(t, signed), 0o600))
		var options revision.Options
		if signed {
			options.Verify = engine.BundleKey{Key: []byte(bundleSecret), ID: "ours", Algorithm: "HS256"}.Verify
		}
		opened, err := revision.Open(t.Context(), name, options)
		require.NoError(t, err)
		program, err := engine.Compile(t.Context(), opened.FS, engine.Named(opened.Root))
		require.NoError(t, err)
		require.Empty(t, program.Warnings())
		require.JSONEq(t, string(directory.Data()), string(program.Data()))
		require.Equal(t, directory.Gates(), program.Gates())
		args := []string{"eval", "-q", "-f", "json", "../../fixtures"}
		wantCode, want, _ := command(t, args...)
		args = append(args, "-p", name)
		if signed {
			key := t.TempDir() + "/key"
			require.NoError(t, os.WriteFile(key, []byte(bundleSecret), 0o600))
			args = append(args, "--verification-key", key, "--signing-alg", "HS256")
		}
		code, out, _ := command(t, args...)
		require.Equal(t, wantCode, code)
		require.Equal(t, strings.ReplaceAll(want, directory.Revision(), program.Revision()), out)
		require.Greater(t, strings.Count(out, "\n"), 50)
	}
}
