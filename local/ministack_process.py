"""The process of the emulator. Its servers send small answers at once: with Nagle's algorithm every invocation of a function waits for an
acknowledgement that the other side delays by 40 ms."""

import socketserver

from ministack.app import main

socketserver.StreamRequestHandler.disable_nagle_algorithm = True
main()
