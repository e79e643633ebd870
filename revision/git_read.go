package revision

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// errAnswer is an answer of git that breaks off or that is not as documented.
var errAnswer = errors.New("git gave another answer than was asked for")

// blob is a file as a tree of git names it.
type blob struct {
	name   string
	object string
	size   int64
}

// read gives the files of a tree that policies may be made of.
func (g *git) read(ctx context.Context, tree string, limits Limits) (map[string][]byte, error) {
	const longest = 1200 // bytes of one entry: a name, and what stands before it
	out, told, err := g.run(ctx, int64(limits.Files)*longest, "ls-tree", "-r", "-z", "-l", "--full-tree", tree)
	switch {
	case errors.Is(err, ErrLimit):
		return nil, fmt.Errorf("%w: more than %d files", ErrLimit, limits.Files)
	case err != nil && strings.Contains(told, "not a tree"):
		return nil, errors.New("this is a file, and no folder")
	case err != nil:
		return nil, g.missing(ctx, tree, err)
	}
	blobs, err := blobsOf(string(out), limits)
	switch {
	case errors.Is(err, errAbsent):
		return nil, g.missing(ctx, tree, err)
	case err != nil || len(blobs) == 0:
		return map[string][]byte{}, err
	}
	return g.contents(ctx, blobs)
}

// errAbsent is a blob that the tree names and the repository does not have.
var errAbsent = errors.New("is not in this repository")

// blobsOf reads what ls-tree lists: MODE TYPE OBJECT SIZE, a tab, the name and a NUL of each.
func blobsOf(listing string, limits Limits) ([]blob, error) {
	var blobs []blob
	found := collect(limits)
	for listing != "" {
		entry, rest, ended := strings.Cut(listing, "\x00")
		listing = rest
		about, name, tab := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if !ended || !tab || len(fields) != 4 || !isObject(fields[2]) {
			return nil, fmt.Errorf("%w: %q", errAnswer, entry)
		}
		if hidden(name) { // and passed over, as in a directory
			if err := errors.Join(wellNamed(name), found.counted()); err != nil {
				return nil, err
			}
			continue
		}
		switch mode := fields[0]; {
		case mode == "120000":
			return nil, fmt.Errorf("%q is a symbolic link; in a revision keep the file itself there", name)
		case mode == "160000":
			return nil, fmt.Errorf("%q is a submodule, which is another repository; name a revision of that, or keep the files here", name)
		case fields[1] != "blob" || mode != "100644" && mode != "100755" && mode != "100664":
			return nil, fmt.Errorf("%q is no regular file (mode %s)", name, mode)
		}
		var size int64
		if isPolicy(name) {
			var err error
			if size, err = strconv.ParseInt(fields[3], 10, 64); err != nil {
				return nil, fmt.Errorf("%q %w", name, errAbsent)
			}
			blobs = append(blobs, blob{name, fields[2], size})
		}
		if err := found.add(name, size); err != nil {
			return nil, err
		}
	}
	return blobs, nil
}

// contents reads blobs with one git, in their order.
func (g *git) contents(ctx context.Context, blobs []blob) (map[string][]byte, error) {
	var wanted strings.Builder
	for _, own := range blobs {
		wanted.WriteString(own.object + "\n")
	}
	files := make(map[string][]byte, len(blobs))
	var told string
	err := g.stream(ctx, wanted.String(), &told, func(from io.Reader) error {
		answers := bufio.NewReader(from)
		for _, own := range blobs {
			text, err := own.content(answers)
			if err != nil {
				return err
			}
			files[own.name] = text
		}
		if _, err := answers.ReadByte(); err != io.EOF {
			return fmt.Errorf("%w: more than was asked for", errAnswer)
		}
		return nil
	}, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return files, nil
}

// content reads an answer of cat-file: a line OBJECT blob SIZE, the bytes, and the end of a line.
func (b blob) content(from *bufio.Reader) ([]byte, error) {
	line, err := from.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("%q: %w", b.name, errAnswer)
	}
	if want := fmt.Sprintf("%s blob %d\n", b.object, b.size); string(line) != want {
		return nil, fmt.Errorf("%q: %w: %q", b.name, errAnswer, strings.TrimSpace(string(line)))
	}
	text := make([]byte, b.size+1)
	if _, err := io.ReadFull(from, text); err != nil || text[b.size] != '\n' {
		return nil, fmt.Errorf("%q: %w", b.name, errAnswer)
	}
	return text[:b.size:b.size], nil
}
