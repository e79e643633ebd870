package admission.fence

# METADATA
# title: Another tenant
# description: The intent belongs to somebody else.
# custom:
#   reason: reject_tenant
#   action: reject
violated contains rego.metadata.rule().custom if not ours

# METADATA
# title: The intent is one of ours
ours if startswith(input.intent_id, "ours-")
