package revision_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/admitctl/admitctl/revision"
)

func TestABundleIsItsRulesAndData(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	opened, err := open(zip(tarOf(t, goodBundle()...)), revision.Options{})
	require.NoError(t, err)
	want := map[string]string{"data.json": `{"a":1}`, "policies/fence/fence.rego": "package admission.fence\n"}
	require.Equal(t, want, contents(t, opened.FS))
	require.Equal(t, "b.tar.gz", opened.Name)
	require.Equal(t, "b.tar.gz:", opened.Root)
	require.Empty(t, opened.Commit)

	plain := []item{{name: "./", header: tar.Header{Typeflag: tar.TypeDir}}, {name: "policies/", header: tar.Header{Typeflag: tar.TypeDir}}}
	for _, one := range goodBundle() {
		one.name = strings.TrimPrefix(one.name, "/")
		plain = append(plain, one)
	}
	opened, err = open(zip(tarOf(t, plain...)), revision.Options{})
	require.NoError(t, err)
	require.Equal(t, want, contents(t, opened.FS))
}

// Whatever a name leads to that is not plainly a file in the bundle is refused, wherever it stands.
func TestNamesThatLeadOutOfABundleAreRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	names := []string{"", ".", "..", "/..", "../x.rego", "/../x.rego", "//x.rego", "///x.rego", "a/../x.rego", "a/..", "a//x.rego", "./x.rego", "a/./x.rego", "/./x.rego",
		`a\x.rego`, `..\x.rego`, `C:\x.rego`, "a\nb.rego", "a\tb.rego", "a\x1b[2Jb.rego", "a\u202eb.rego", "a\xffb.rego", "a\u0085.rego", strings.Repeat("a/", 600) + "x.rego"}
	for _, name := range names {
		t.Run(fmt.Sprintf("%.30q", name), func(t *testing.T) {
			for at := range len(goodBundle()) + 1 {
				_, err := open(zip(tarOf(t, slices.Insert(goodBundle(), at, item{name: name, text: "x", header: tar.Header{Format: tar.FormatGNU}})...)), revision.Options{})
				require.ErrorIs(t, err, revision.ErrBundle)
			}
		})
	}
}

// Of all types that a header can have, files and folders alone are taken.
func TestEveryTypeOfEntryButFilesAndFoldersIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	for flag := range 256 {
		content := tarOf(t, item{name: "fence.rego", header: tar.Header{Linkname: "/etc/passwd"}})
		content[156] = byte(flag)
		sum(content[:512])
		_, err := open(zip(content), revision.Options{})
		switch byte(flag) {
		case tar.TypeReg, 0, tar.TypeDir:
			require.NoError(t, err, "%q", flag)
		default:
			require.ErrorIs(t, err, revision.ErrBundle, "%q", flag)
		}
	}
	_, err := open(zip(tarOf(t, item{name: "a.rego", header: tar.Header{Typeflag: tar.TypeSymlink, Linkname: "../a"}})), revision.Options{})
	require.ErrorContains(t, err, `"a.rego" is a link, to "../a"`)
	_, err = open(zip(tarOf(t, item{name: "a.rego", header: tar.Header{Typeflag: tar.TypeChar}})), revision.Options{})
	require.ErrorContains(t, err, `"a.rego" is no regular file (type "3")`)
}

// sum writes the checksum of a header anew.
func sum(header []byte) {
	copy(header[148:156], "        ")
	total := 0
	for _, b := range header {
		total += int(b)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", total))
}

func TestOneNameTwiceIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	for _, again := range []string{"/policies/fence/fence.rego", "policies/fence/fence.rego", "/data.json", "policies", "/policies/fence", "data.json/x.rego", "policies/README.md", "/.manifest"} {
		_, err := open(zip(tarOf(t, append(goodBundle(), item{name: again, text: "package admission.fence\n"})...)), revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, again)
		_, err = open(zip(tarOf(t, append([]item{{name: again, text: "package admission.fence\n"}}, goodBundle()...)...)), revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, again)
	}
}

// A bundle that was cut anywhere is refused: packed, and unpacked, which a tar alone does not tell.
func TestABundleThatIsCutOffIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	content := tarOf(t, goodBundle()...)
	packed := zip(content)
	for length := range packed {
		_, err := open(packed[:length], revision.Options{})
		require.Error(t, err, length)
		require.True(t, errors.Is(err, revision.ErrBundle) || length < 2 && errors.Is(err, revision.ErrSpec), "%d: %v", length, err)
	}
	for length := range content {
		_, err := open(zip(content[:length]), revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, length)
	}
}

// No byte of a packed bundle can be changed so that other files come out of it.
func TestABundleWithAWrongByteIsRefusedOrTheSame(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	packed := zip(tarOf(t, goodBundle()...))
	good, err := open(packed, revision.Options{})
	require.NoError(t, err)
	same := 0
	for at := range packed {
		for _, change := range []byte{0x01, 0x80, 0xff} {
			changed := bytes.Clone(packed)
			changed[at] ^= change
			opened, err := open(changed, revision.Options{})
			if err != nil {
				require.True(t, errors.Is(err, revision.ErrBundle) || at < 2 && errors.Is(err, revision.ErrSpec), "%d: %v", at, err)
				continue
			}
			same++ // the time in the header of gzip says nothing
			require.Equal(t, contents(t, good.FS), contents(t, opened.FS), at)
		}
	}
	require.Positive(t, same)
}

// Every byte of every header, changed and the checksum written anew: it is refused, or what comes out is plainly named.
func TestABundleWithAForgedHeaderNeverLeadsOut(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	content := tarOf(t, goodBundle()...)
	for start := 0; start < 4*1024; start += 1024 { // a header and a block of content each
		require.Equal(t, "ustar", string(content[start+257:start+262]))
		for at := range 512 {
			for _, value := range []byte{0, '/', '7'} {
				changed := bytes.Clone(content)
				changed[start+at] = value
				sum(changed[start : start+512])
				opened, err := open(zip(changed), revision.Options{})
				if err != nil {
					require.ErrorIs(t, err, revision.ErrBundle)
					continue
				}
				for name := range contents(t, opened.FS) {
					require.True(t, fs.ValidPath(name) && !strings.HasPrefix(name, "/"), name)
				}
			}
		}
	}
}

func TestWhatFollowsABundleIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	content := tarOf(t, goodBundle()...)
	packed := zip(content)
	for what, bad := range map[string][]byte{
		"a byte":                       append(bytes.Clone(packed), 0),
		"garbage":                      append(bytes.Clone(packed), "garbage"...),
		"another archive":              append(bytes.Clone(packed), packed...),
		"an empty archive":             append(bytes.Clone(packed), zip(nil)...),
		"a tar behind the end of one":  zip(append(bytes.Clone(content), content...)),
		"a byte behind the end of tar": zip(append(append(bytes.Clone(content), make([]byte, 4096)...), 1)),
	} {
		_, err := open(bad, revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, what)
		require.ErrorContains(t, err, "follow", what)
	}
	_, err := open(zip(append(bytes.Clone(content), make([]byte, 8192)...)), revision.Options{})
	require.NoError(t, err, "tar pads with zeros")
}

func TestAForgedSizeOrChecksumIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	packed := zip(tarOf(t, goodBundle()...))
	for _, end := range []int{4, 8} {
		for _, forged := range []uint32{0, 1, 1 << 20, 1<<32 - 1} {
			changed := bytes.Clone(packed)
			binary.LittleEndian.PutUint32(changed[len(changed)-end:], forged)
			_, err := open(changed, revision.Options{})
			require.ErrorContains(t, err, "its checksum or its size is not that of what is in it")
		}
	}
}

func TestABundleIsHeldToItsLimits(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	big := strings.Repeat("\x00", 4<<20)
	many := func(count int, text string) []item {
		var items []item
		for i := range count {
			items = append(items, item{name: fmt.Sprintf("p%d.rego", i), text: text})
		}
		return items
	}
	deep := func(count int) []item {
		var items []item
		for i := range count {
			items = append(items, item{name: fmt.Sprintf("%d/%s/x.rego", i, strings.Repeat("a/", 400)+"a")})
		}
		return items
	}
	noise := tarOf(t, item{name: "a.rego", text: strings.Repeat("x", 3000)})
	for _, test := range []struct {
		what   string
		packed []byte
		limits revision.Limits
		says   string
	}{
		{"what unpacks to a thousand times its size", zip(tarOf(t, item{name: "a.rego", text: big})), revision.Limits{}, "it unpacks to more than"},
		{"one large file", zip(noise), revision.Limits{File: 2999}, "3000 bytes, more than 2999"},
		{"files that are large together", zip(tarOf(t, many(3, strings.Repeat("x", 400))...)), revision.Limits{Total: 1000}, "more than 1000 bytes in all"},
		{"many files", zip(tarOf(t, many(11, "")...)), revision.Limits{Files: 10}, "more than 10 files"},
		{"many folders", zip(tarOf(t, deep(9)...)), revision.Limits{Files: 10}, "more than 10 files"},
		{"a large archive", zip(noise), revision.Limits{Total: 10}, "more than 10 bytes"},
		{"zeros behind the end", zip(append(tarOf(t, goodBundle()...), big...)), revision.Limits{}, "it unpacks to more than"},
		{"a header that announces more than there is", zip(forgedSize(t, 1<<40)), revision.Limits{}, "bytes, more than"},
		{"a large header", zip(tarOf(t, item{name: "a.rego", header: tar.Header{PAXRecords: map[string]string{"X.x": big[:900<<10] + "x"}}})), revision.Limits{Total: 1000, Files: 1}, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			_, err := open(test.packed, revision.Options{Limits: test.limits})
			require.ErrorIs(t, err, revision.ErrBundle)
			require.ErrorContains(t, err, test.says)
			if test.says != "" {
				require.ErrorIs(t, err, revision.ErrLimit)
			}
		})
	}
	sparse := tarOf(t, item{name: "a.rego", text: "x"})
	copy(sparse[156:], "S")
	copy(sparse[257:], "ustar  \x00")
	sum(sparse[:512])
	_, err := open(zip(sparse), revision.Options{})
	require.ErrorIs(t, err, revision.ErrBundle)
}

// forgedSize is a tar whose file says that it is so large.
func forgedSize(t *testing.T, size int64) []byte {
	content := tarOf(t, item{name: "a.rego", text: "x"})
	copy(content[124:136], fmt.Sprintf("%011o\x00", size))
	if size >= 1<<33 {
		binary.BigEndian.PutUint64(content[128:136], uint64(size))
		content[124], content[125], content[126], content[127] = 0x80, 0, 0, 0
	}
	sum(content[:512])
	return content
}

// OPA and a load must decide by the same files.
func TestFilesThatOPAReadsOtherwiseAreRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	for name, says := range map[string]string{
		"/policy.wasm":                  "compiled policies are not read",
		"/x/y.wasm":                     "compiled policies are not read",
		"/plan.json":                    "compiled policies are not read",
		"/plan.pb":                      "compiled policies are not read",
		"/patch.json":                   "no set of policies",
		"/a/patch.json":                 "no set of policies",
		"/policies/.manifest":           "a manifest is called /.manifest",
		"/.manifest.pb":                 "a manifest is called /.manifest",
		"/x.manifest":                   "a manifest is called /.manifest",
		"/policies/.signatures.json":    "signatures lie at the top of a bundle",
		"/policies/thresholds.yaml":     "OPA reads no data of this name",
		"/other.json":                   "OPA reads no data of this name",
		"/.hidden/x.rego":               "does not begin with a dot",
		"/policies/.x.rego":             "does not begin with a dot",
		"/policies/.hidden/data.json":   "does not begin with a dot",
		"/policies/.hidden/data.yaml":   "does not begin with a dot",
		"/policies/fence/more.data.yml": "OPA reads no data of this name",
	} {
		_, err := open(zip(tarOf(t, append(goodBundle(), item{name: name, text: "{}"})...)), revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, name)
		require.ErrorContains(t, err, says, name)
	}
	for _, name := range []string{"/data.yaml", "/a/data.yml", "/a/data.json", "/a/.gitignore", "/notes.txt", "/a/x_test.rego"} {
		_, err := open(zip(tarOf(t, append(goodBundle(), item{name: name, text: "{}"})...)), revision.Options{})
		require.NoError(t, err, name)
	}
}

func TestAManifestThatChangesWhatIsDecidedIsRefused(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	for text, says := range map[string]string{
		`{"rego_version":0}`:                                   "version 0 of Rego",
		`{"rego_version":2}`:                                   "version 2 of Rego",
		`{"file_rego_versions":{"/a.rego":0}}`:                 `"/a.rego" is written in version 0`,
		`{"roots":["admission"]}`:                              `it holds ["admission"] alone`,
		`{"roots":[]}`:                                         "it holds [] alone",
		`{"wasm":[{"entrypoint":"x","module":"policy.wasm"}]}`: "compiled policies",
		``:             "no manifest",
		`[]`:           "no manifest",
		`{} {}`:        "no manifest",
		`{"roots": 1}`: "no manifest",
	} {
		_, err := open(zip(tarOf(t, append(goodBundle()[:3], item{name: ".manifest", text: text})...)), revision.Options{})
		require.ErrorIs(t, err, revision.ErrBundle, text)
		require.ErrorContains(t, err, says, text)
	}
	for _, text := range []string{`{}`, `{"revision":"r1"}`, `{"roots":["/"]}`, `{"roots":["","a"],"rego_version":1,"metadata":{"x":1}}`} {
		_, err := open(zip(tarOf(t, append(goodBundle()[:3], item{name: ".manifest", text: text})...)), revision.Options{})
		require.NoError(t, err, text)
	}
	_, err := open(zip(tarOf(t, goodBundle()[:3]...)), revision.Options{})
	require.NoError(t, err, "a manifest may be missing")
}

func TestSignedAndUnsignedAreNeverMixedUp(t *testing.T) {
	open := opener(t)
	zip := zipper(t)
	signed := append(goodBundle(), item{name: "/.signatures.json", text: "{}"})
	refuse := errors.New("another key")
	var seen []string
	verify := func(result error) func(map[string][]byte) error {
		return func(files map[string][]byte) error {
			seen = slices.Sorted(maps.Keys(files))
			return result
		}
	}
	_, err := open(zip(tarOf(t, signed...)), revision.Options{})
	require.ErrorIs(t, err, revision.ErrSignature)
	require.ErrorContains(t, err, "--verification-key FILE")
	_, err = open(zip(tarOf(t, goodBundle()...)), revision.Options{Verify: verify(nil)})
	require.ErrorIs(t, err, revision.ErrSignature)
	require.ErrorContains(t, err, "is not signed")
	_, err = open(zip(tarOf(t, signed...)), revision.Options{Verify: verify(refuse)})
	require.ErrorIs(t, err, revision.ErrSignature)
	require.ErrorIs(t, err, refuse)
	opened, err := open(zip(tarOf(t, signed...)), revision.Options{Verify: verify(nil)})
	require.NoError(t, err)
	require.Equal(t, []string{".manifest", ".signatures.json", "data.json", "policies/README.md", "policies/fence/fence.rego"}, seen, "everything is verified")
	require.Len(t, contents(t, opened.FS), 2)
	for _, spec := range []string{".", "git:HEAD"} {
		_, err = revision.Open(t.Context(), spec, revision.Options{Verify: verify(nil)})
		require.ErrorIs(t, err, revision.ErrSignature, spec)
	}
}

func TestAnEndedContextOpensNothing(t *testing.T) {
	zip := zipper(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "b.tar.gz")
	require.NoError(t, os.WriteFile(name, zip(tarOf(t, goodBundle()...)), 0o600))
	for _, spec := range []string{name, "git:HEAD"} {
		_, err := revision.Open(ctx, spec, revision.Options{})
		require.ErrorIs(t, err, context.Canceled, spec)
	}
}

// FuzzBundle wants every archive refused, or within its limits and plainly named.
func FuzzBundle(f *testing.F) {
	zip := zipper(f)
	limits := revision.Limits{File: 1 << 10, Total: 1 << 12, Files: 8, Factor: 50}
	content := tarOf(f, goodBundle()...)
	f.Add(content, true)
	f.Add(zip(content), false)
	f.Add(content[:700], true)
	f.Add(tarOf(f, item{name: "../x"}, item{name: "a.rego", header: tar.Header{Typeflag: tar.TypeLink, Linkname: "/data.json"}}), true)
	f.Add(tarOf(f, item{name: strings.Repeat("a/", 200) + "x.rego", text: "package a"}), true)
	f.Fuzz(func(t *testing.T, content []byte, pack bool) {
		if pack {
			content = zipper(t)(content)
		}
		opened, err := opener(t)(content, revision.Options{Limits: limits})
		if err != nil {
			require.True(t, errors.Is(err, revision.ErrBundle) || errors.Is(err, revision.ErrSpec), "%v", err)
			return
		}
		total := 0
		all := contents(t, opened.FS)
		for name, text := range all {
			require.True(t, fs.ValidPath(name) && !strings.Contains("/"+name, "/."), name)
			require.LessOrEqual(t, len(text), 1<<10)
			total += len(text)
		}
		require.LessOrEqual(t, total, 1<<12)
		require.LessOrEqual(t, len(all), 8)
	})
}
