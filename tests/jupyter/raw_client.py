"""A kernel process and a client on raw sockets, which can also send what no proper client would."""
import datetime
import hashlib
import hmac
import json
import os
import signal
import socket
import subprocess
import time
import uuid

import zmq

DELIMITER = b"<IDS|MSG>"
CHANNELS = {"shell": zmq.DEALER, "control": zmq.DEALER, "stdin": zmq.DEALER, "iopub": zmq.SUB, "hb": zmq.REQ}
PATIENCE = 60  # seconds that anything may take before a test gives up


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def curve_keys():
    """What a client writes into the connection file for a kernel that encrypts."""
    public, secret = zmq.curve_keypair()
    return {"curve_publickey": public.decode(), "curve_secretkey": secret.decode()}


def encrypt(link, public_key):
    """The socket of a client of the kernel with this key; its own keys are fresh."""
    link.curve_publickey, link.curve_secretkey = zmq.curve_keypair()
    link.curve_serverkey = public_key.encode()


def connection(**changes):
    ports = dict(zip(("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"), free_ports(5)))
    info = {"transport": "tcp", "ip": "127.0.0.1", "key": uuid.uuid4().hex, "signature_scheme": "hmac-sha256", **ports}
    info.update(changes)
    return {name: value for name, value in info.items() if value is not None}


class PortTaken(Exception):
    """Between its choice and its use another program took a port."""


class Kernel:
    """Starts `argv -f FILE` and connects one client to it."""

    reconnect_ms = 5  # the first attempt always comes before the kernel has its ports

    def __init__(self, argv, folder, env=None, stderr=subprocess.PIPE, **changes):
        while True:
            self.start(argv, folder, env, stderr, changes)
            try:
                return self.wait_for_iopub()
            except PortTaken:
                self.close()
            except BaseException:  # or its context waits for ever when it is collected
                self.close()
                raise

    def start(self, argv, folder, env, stderr, changes):
        self.info = connection(**changes)
        self.key = self.info["key"].encode()
        self.file = folder / f"{uuid.uuid4().hex}.json"
        self.file.write_text(json.dumps(self.info))
        self.session = uuid.uuid4().hex
        self.process = subprocess.Popen([*argv, "-f", str(self.file)], env={**os.environ, **(env or {})}, stderr=stderr,
                                        stdout=subprocess.DEVNULL, start_new_session=True)
        self.context = zmq.Context()
        self.sockets = {}
        for channel in CHANNELS:
            self.connect(channel)

    def endpoint(self, channel):
        ip, port = self.info["ip"], self.info[channel + "_port"]
        if self.info["transport"] == "ipc":
            return f"ipc://{ip}-{port}"
        if ip == "*":
            ip = "127.0.0.1"
        return f"tcp://[{ip}]:{port}" if ":" in ip and not ip.startswith("[") else f"tcp://{ip}:{port}"

    def connect(self, channel):
        link = self.context.socket(CHANNELS[channel])
        link.setsockopt(zmq.LINGER, 0)
        link.setsockopt(zmq.RECONNECT_IVL, self.reconnect_ms)
        link.setsockopt(zmq.IPV6, ":" in self.info["ip"])
        if "curve_publickey" in self.info:
            encrypt(link, self.info["curve_publickey"])
        if channel == "stdin":
            link.setsockopt(zmq.IDENTITY, self.session.encode())
        if channel == "iopub":
            link.setsockopt(zmq.RCVHWM, 0)
            link.setsockopt(zmq.SUBSCRIBE, b"")
        link.connect(self.endpoint(channel))
        self.sockets[channel] = link
        return link

    def wait_for_iopub(self):
        """A subscription takes effect some time after it is made: the kernel's greeting, its first message, tells when."""
        end = time.monotonic() + PATIENCE
        while (message := self.receive("iopub", 0.1)) is None and self.process.poll() is None and time.monotonic() < end:
            pass
        if self.process.poll() == 2 and self.process.stderr and b"Address already in use" in self.process.stderr.read():
            raise PortTaken
        assert message is not None, f"no greeting; the kernel's exit status is {self.process.poll()}"
        assert message["msg_type"] == "iopub_welcome", message

    # Messages out.
    def sign(self, parts):
        mac = hmac.new(self.key, digestmod=hashlib.sha256)
        for part in parts:
            mac.update(part)
        return mac.hexdigest().encode()

    def header(self, msg_type):
        return {"msg_id": uuid.uuid4().hex, "session": self.session, "username": "test", "msg_type": msg_type,
                "version": "5.3", "date": datetime.datetime.now(datetime.timezone.utc).isoformat()}

    def frames(self, msg_type, content, header=None, metadata=None, parent=None):
        parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in
                 (header or self.header(msg_type), parent or {}, metadata or {}, content)]
        return [DELIMITER, self.sign(parts), *parts]

    def send_frames(self, channel, frames):
        self.sockets[channel].send_multipart(frames)

    def send(self, channel, msg_type, content, buffers=(), **more):
        header = more.pop("header", None) or self.header(msg_type)
        self.send_frames(channel, [*self.frames(msg_type, content, header=header, **more), *buffers])
        return header["msg_id"]

    # Messages in.
    def receive(self, channel, timeout=PATIENCE):
        """The next message, its signature checked; None when there is none in time."""
        link = self.sockets[channel]
        if not link.poll(int(timeout * 1000)):
            return None
        frames = link.recv_multipart()
        mark = frames.index(DELIMITER)
        signature, parts = frames[mark + 1], frames[mark + 2:mark + 6]
        assert signature == self.sign(parts), "the kernel signed a message wrongly"
        header, parent, metadata, content = (json.loads(part) for part in parts)
        return {"msg_type": header["msg_type"], "header": header, "parent": parent.get("msg_id"), "metadata": metadata,
                "content": content, "topic": frames[0] if channel == "iopub" else None}

    def reply(self, msg_id, channel="shell", timeout=PATIENCE):
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            message = self.receive(channel, left)
            if message and message["parent"] == msg_id:
                return message
        return None

    def outputs(self, msg_id, timeout=PATIENCE):
        """iopub's messages of one request, up to its idle."""
        found = []
        while True:
            message = self.receive("iopub", timeout)
            assert message is not None, f"no idle for the request; seen: {[each['msg_type'] for each in found]}"
            if message["parent"] != msg_id:
                continue
            found.append(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found

    def execute_async(self, code, metadata=None, buffers=(), **more):
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
                   "stop_on_error": True, **more}
        return self.send("shell", "execute_request", content, metadata=metadata, buffers=buffers)

    def let_arrive(self):
        """Comes back when what was sent on shell has reached the kernel's socket: one thread carries all channels, in order."""
        for _ in range(2):
            self.ask("kernel_info_request", {}, "control")

    def begin(self, code):
        """Starts a cell and comes back when its first text is here: from then on it is seen to run."""
        msg_id = self.execute_async(code)
        while True:
            message = self.receive("iopub")
            assert message is not None, f"nothing came from {code[:80]!r}"
            if message["parent"] == msg_id:
                assert message["msg_type"] != "error", message["content"]
                if message["msg_type"] == "stream":
                    return msg_id

    def execute(self, code, **more):
        """The reply's content and the messages between busy and idle."""
        msg_id = self.execute_async(code, **more)
        reply = self.reply(msg_id)
        assert reply is not None, f"no reply to {code[:80]!r}"
        found = self.outputs(msg_id)
        assert found[0]["content"] == {"execution_state": "busy"}
        return reply["content"], found[1:-1]

    def ask(self, msg_type, content, channel="shell"):
        msg_id = self.send(channel, msg_type, content)
        reply = self.reply(msg_id, channel)
        assert reply is not None, f"no reply to {msg_type} {content}"
        states = [each["content"]["execution_state"] for each in self.outputs(msg_id) if each["msg_type"] == "status"]
        assert states == ["busy", "idle"]
        assert reply["msg_type"] == msg_type.replace("_request", "_reply")
        return reply["content"]

    def alive(self):
        return self.process.poll() is None and self.ask("kernel_info_request", {})["status"] == "ok"

    # Its end.
    def wait(self, timeout=PATIENCE):
        return self.process.wait(timeout)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        self.context.destroy(linger=0)


def text_of(outputs, name="stdout"):
    return "".join(each["content"]["text"] for each in outputs if each["msg_type"] == "stream" and each["content"]["name"] == name)


def kinds(outputs):
    return [each["msg_type"] for each in outputs]


def ok(kernel, code):
    """What a cell that goes well shows."""
    reply, outputs = kernel.execute(code)
    assert reply["status"] == "ok", "\n".join(reply["traceback"])
    return outputs


def fails(kernel, code):
    """The reply to a cell that ends in one error and writes nothing else to stderr."""
    reply, outputs = kernel.execute(code)
    assert reply["status"] == "error"
    assert kinds(outputs).count("error") == 1
    assert text_of(outputs, "stderr") == ""
    return reply
