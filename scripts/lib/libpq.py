# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL from Python without a package: libpq through ctypes, with parameters only."""

import ctypes
import ctypes.util

_pq = ctypes.CDLL(ctypes.util.find_library("pq"))
for _name, _result, *_arguments in (
    ("PQconnectdb", ctypes.c_void_p, ctypes.c_char_p),
    ("PQstatus", ctypes.c_int, ctypes.c_void_p),
    ("PQerrorMessage", ctypes.c_char_p, ctypes.c_void_p),
    ("PQfinish", None, ctypes.c_void_p),
    ("PQexecParams", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p,
     ctypes.POINTER(ctypes.c_char_p), ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int),
    ("PQexec", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
    ("PQresultStatus", ctypes.c_int, ctypes.c_void_p),
    ("PQresultErrorField", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int),
    ("PQresultErrorMessage", ctypes.c_char_p, ctypes.c_void_p),
    ("PQntuples", ctypes.c_int, ctypes.c_void_p),
    ("PQnfields", ctypes.c_int, ctypes.c_void_p),
    ("PQgetisnull", ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_int),
    ("PQgetvalue", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int),
    ("PQclear", None, ctypes.c_void_p),
):
    getattr(_pq, _name).restype = _result
    getattr(_pq, _name).argtypes = _arguments

_SQLSTATE = ord("C")


class Refused(Exception):
    """What the server says; `code` is its SQLSTATE."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def array(values):
    """The text of an array of numbers or plain words."""
    return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"


class Connection:
    """One connection; used by one thread at a time. Values come as text, NULL as None."""

    def __init__(self, words):
        self.handle = _pq.PQconnectdb(words.encode())
        if _pq.PQstatus(self.handle) != 0:
            raise Refused("08001", _pq.PQerrorMessage(self.handle).decode())

    def close(self):
        _pq.PQfinish(self.handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def script(self, text):
        """Several statements without parameters: migrations."""
        return self._rows(_pq.PQexec(self.handle, text.encode()))

    def query(self, text, *values):
        texts = (ctypes.c_char_p * max(1, len(values)))(
            *[None if value is None else str(value).encode() for value in values])
        return self._rows(_pq.PQexecParams(self.handle, text.encode(), len(values), None, texts, None, None, 0))

    def value(self, text, *values):
        return self.query(text, *values)[0][0]

    def _rows(self, result):
        try:
            if _pq.PQresultStatus(result) not in (1, 2):
                code = _pq.PQresultErrorField(result, _SQLSTATE)
                raise Refused((code or b"08006").decode(), _pq.PQresultErrorMessage(result).decode().strip())
            columns = range(_pq.PQnfields(result))
            return [[None if _pq.PQgetisnull(result, row, column) else _pq.PQgetvalue(result, row, column).decode()
                     for column in columns] for row in range(_pq.PQntuples(result))]
        finally:
            _pq.PQclear(result)
