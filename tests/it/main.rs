//! One binary: journeys, template checks, architecture checks.
