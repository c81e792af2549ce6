"""Read by every Python that starts with this folder on its path: nothing leaves this machine."""

import socket

LOOPBACK = ('127.0.0.1', '::1', 'localhost', '')
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def _refuse(host):
    raise ConnectionRefusedError(f'no network in tests of lessons: {host!r} was asked for')


def _outside(address):
    return isinstance(address, tuple) and address[0] not in LOOPBACK


def connect(self, address):
    return _refuse(address[0]) if _outside(address) else _connect(self, address)


def connect_ex(self, address):
    return _refuse(address[0]) if _outside(address) else _connect_ex(self, address)


def getaddrinfo(host, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host
    return _refuse(host) if name not in (*LOOPBACK, None) else _getaddrinfo(host, *args, **kwargs)


socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo = connect, connect_ex, getaddrinfo
