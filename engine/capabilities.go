package engine

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// pure are the built-in functions that gates have: of their arguments alone, in time that their arguments bound, so
// that every recorded decision can be replayed. What is not here, such as the clock, the network and randomness, goes
// into the document.
func pure() []string {
	return []string{
		"assign", "eq", "equal", "neq", "lt", "lte", "gt", "gte", "internal.member_2", "internal.member_3",
		"plus", "minus", "mul", "div", "rem", "floor", "ceil", "round", "abs",
		"count", "sum", "product", "min", "max", "sort",
		"and", "or", "intersection", "union",
		"array.concat", "array.reverse", "array.slice",
		"object.filter", "object.get", "object.keys", "object.remove", "object.subset", "object.union",
		"concat", "contains", "endswith", "format_int", "indexof", "lower", "replace", "split", "startswith", "substring",
		"trim", "trim_left", "trim_prefix", "trim_right", "trim_space", "trim_suffix", "upper", "regex.match",
		"is_array", "is_boolean", "is_null", "is_number", "is_object", "is_set", "is_string", "type_name",
		"rego.metadata.rule",
	}
}

// ordering are the built-ins that order values across types or compute with them: a null is less than every number,
// and a string is more. Only the guards may call them, which prove first that both sides are whole numbers.
func ordering() []string {
	return []string{
		"lt", "lte", "gt", "gte", "plus", "minus", "mul", "div", "rem", "floor", "ceil", "round", "abs", "sum", "product",
		"min", "max", "sort",
	}
}

// defaulting are the built-ins that give an object a value where it has none. On a part of the document that is a
// guess, and a misspelt name goes unseen. Only the guards may call them.
func defaulting() []string {
	return []string{"object.get", "object.union", "object.filter", "object.remove"}
}

// capabilities are OPA's own, less the built-ins that gates do not have.
func capabilities() *ast.Capabilities {
	own := ast.CapabilitiesForThisVersion()
	allowed := pure()
	own.Builtins = slices.DeleteFunc(own.Builtins, func(b *ast.Builtin) bool { return !slices.Contains(allowed, b.Name) })
	own.AllowNet = []string{}
	return own
}
