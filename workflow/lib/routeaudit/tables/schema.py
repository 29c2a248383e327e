"""A table's declared schema: columns, types and key, checked on every write and read."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from routeaudit.errors import InputError


@dataclass(frozen=True)
class TableSchema:
    """What one kind of artifact holds.

    Parameters
    ----------
    name : the artifact's name in the data contract, for example ``public/tasks``
    fields : column names, types and nullability, in stored order
    key : columns that identify a row; rows are stored sorted by them and must be unique
    """

    name: str
    fields: pa.Schema
    key: tuple[str, ...]

    def conform(self, table: pa.Table, where: str) -> pa.Table:
        """Return `table` with this schema's column order and types, sorted by key.

        Raises
        ------
        InputError : missing or surplus columns, a type that does not cast, nulls in a
            non-nullable column, or a repeated key; `where` names the place in the message.
        """
        self._check_columns(table, where)
        chosen = table.select(self.fields.names)
        self._check_nulls(chosen, where)
        cast = self._cast(chosen, where)
        ordered = cast.sort_by([(column, "ascending") for column in self.key])
        self._check_unique(ordered, where)
        return ordered

    def from_rows(self, rows: list[dict[str, object]], where: str = "") -> pa.Table:
        """Build a conforming table from row dictionaries that name every column."""
        columns = {name: [row[name] for row in rows] for name in self.fields.names}
        return self.conform(pa.table(columns, schema=self.fields), where or self.name)

    def _check_columns(self, table: pa.Table, where: str) -> None:
        expected, found = set(self.fields.names), set(table.column_names)
        if expected != found:
            raise InputError(
                where,
                f"{self.name} with exactly the columns {', '.join(self.fields.names)}",
                f"missing {sorted(expected - found)}, surplus {sorted(found - expected)}",
                "rename or drop columns so that the names match",
            )

    def _cast(self, table: pa.Table, where: str) -> pa.Table:
        try:
            return table.cast(self.fields)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
            raise InputError(
                where, f"{self.name} with the types of its schema", str(error), "convert the column first"
            ) from None

    def _check_nulls(self, table: pa.Table, where: str) -> None:
        for field in self.fields:
            if not field.nullable and table[field.name].null_count:
                row = pc.index(pc.is_null(table[field.name]), True).as_py()
                raise InputError(
                    f"{where}, row {row}, key {field.name!r}",
                    f"a value of type {field.type}",
                    "nothing (null)",
                    "fill the value or drop the row at its source",
                )

    def _check_unique(self, ordered: pa.Table, where: str) -> None:
        if ordered.num_rows < 2:
            return
        same = None
        for column in self.key:
            values = ordered[column].combine_chunks()
            equal = pc.equal(values.slice(1), values.slice(0, len(values) - 1))
            same = equal if same is None else pc.and_(same, equal)
        row = pc.index(same, True).as_py()
        if row >= 0:
            key = {column: ordered[column][row].as_py() for column in self.key}
            raise InputError(
                f"{where}, row with {key}",
                f"each {self.name} key ({', '.join(self.key)}) once",
                "the key twice",
                "remove the duplicate row",
            )


def schema(
    name: str, key: tuple[str, ...], /, **columns: pa.DataType | tuple[pa.DataType, str]
) -> TableSchema:
    """Declare a schema; ``column=type`` is required, ``column=(type, "null")`` may be null."""
    fields = [
        pa.field(
            column, declared[0] if isinstance(declared, tuple) else declared, isinstance(declared, tuple)
        )
        for column, declared in columns.items()
    ]
    return TableSchema(name, pa.schema(fields), key)
