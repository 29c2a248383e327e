"""Problems to deliberate on: an invented world, mathematics and multiple choice from files."""
