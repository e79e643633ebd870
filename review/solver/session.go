package solver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// ErrSolver is a solver that could not be started, ended, or answered what is no answer. Nothing is proved then.
var ErrSolver = errors.New("the solver failed")

// Answer is what comes of a question.
type Answer uint8

// The answers. The zero Answer proves nothing.
const (
	Unknown Answer = iota // it could not tell, or not in time
	Found                 // there is a model
	None                  // there is none: proved
)

// Session is a conversation with one process. It is for one goroutine, and must be closed.
type Session struct {
	ctx     context.Context
	cancel  context.CancelFunc
	command *exec.Cmd
	to      io.WriteCloser
	from    *bufio.Reader
	written strings.Builder // that was not sent yet
	limit   time.Duration
	failed  error
}

// grace is how long a process may take beyond its own time limit before it is killed.
const grace = 5 * time.Second

// Start starts the solver at a path. limit is the time of one question; the process ends with ctx. Its error is an
// [ErrSolver].
func Start(ctx context.Context, path string, limit time.Duration) (*Session, error) {
	ctx, cancel := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, path, "-in", "-smt2")
	command.WaitDelay = grace
	to, err := command.StdinPipe()
	if err == nil {
		var from io.ReadCloser
		if from, err = command.StdoutPipe(); err == nil {
			if err = command.Start(); err == nil {
				context.AfterFunc(ctx, func() { _ = from.Close() }) // what it started may hold the pipe when it is gone
				s := &Session{ctx: ctx, cancel: cancel, command: command, to: to, from: bufio.NewReader(from), limit: limit}
				s.Say("(set-option :print-success false)")
				s.Say("(set-option :produce-models true)")
				s.Say(fmt.Sprintf("(set-option :timeout %d)", limit.Milliseconds()))
				return s, nil
			}
		}
	}
	cancel()
	return nil, fmt.Errorf("%w: %s: %w; name z3 with --solver, or go without it with --solver none", ErrSolver, path, err)
}

// Close ends the process.
func (s *Session) Close() {
	_ = s.to.Close() // whoever has its answers needs no more of the process
	s.cancel()
	_ = s.command.Wait()
}

// Say adds commands that answer nothing, such as a declaration. They are sent with the next question.
func (s *Session) Say(commands string) {
	s.written.WriteString(commands)
	s.written.WriteByte('\n')
}

// Ask asks whether everything that was said and, for this question alone, condition can hold, and gives a model's values
// for some names if so: of flags 0 and 1. Its error is an [ErrSolver], after which the session answers nothing more.
func (s *Session) Ask(condition string, names []string) (answer Answer, values map[string]int64, err error) {
	if s.failed != nil {
		return Unknown, nil, s.failed
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrSolver, err)
			s.failed = err
		}
	}()
	timer := time.AfterFunc(s.limit+grace, s.cancel)
	defer timer.Stop()
	s.Say("(push 1)\n(assert " + condition + ")\n(check-sat)")
	if err := s.send(); err != nil {
		return Unknown, nil, err
	}
	reply, err := s.read()
	if err != nil {
		return Unknown, nil, err
	}
	switch reply.atom {
	case "sat":
		answer = Found
	case "unsat":
		answer = None
	case "unknown", "timeout":
		answer = Unknown
	default:
		return Unknown, nil, fmt.Errorf("it says %s", reply)
	}
	if answer == Found && len(names) > 0 {
		s.Say("(get-value (" + strings.Join(names, " ") + "))")
		if err := s.send(); err != nil {
			return Unknown, nil, err
		}
		if reply, err = s.read(); err != nil {
			return Unknown, nil, err
		}
		if values, err = reply.values(); err != nil {
			return Unknown, nil, err
		}
	}
	s.Say("(pop 1)")
	return answer, values, nil
}

func (s *Session) send() error {
	text := s.written.String()
	s.written.Reset()
	_, err := io.WriteString(s.to, text)
	return err
}

// values reads ((name value) …).
func (e expression) values() (map[string]int64, error) {
	values := map[string]int64{}
	for _, pair := range e.list {
		if len(pair.list) != 2 {
			return nil, fmt.Errorf("it says %s where a value should be", e)
		}
		value, err := pair.list[1].number()
		if err != nil {
			return nil, err
		}
		values[pair.list[0].atom] = value
	}
	return values, nil
}

func (e expression) number() (int64, error) {
	switch {
	case e.atom == "true":
		return 1, nil
	case e.atom == "false":
		return 0, nil
	case len(e.list) == 2 && e.list[0].atom == "-":
		value, err := e.list[1].number()
		return -value, err
	}
	value, err := strconv.ParseInt(e.atom, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("it says %s where a number should be", e)
	}
	return value, nil
}
