"""The program that runs cells of %%python: started by xcuda, with the environment's Python. See docs/python.md.

    __main__   enters the worker, and serves the session's requests
    channel    messages of the session: MessagePack and file descriptors over a Unix socket
    memory     the session's memory, mapped at the session's addresses
    gpu        the same on a GPU, through the CUDA driver
    arrays     what the session's names are in Python
    names      those names in the cells' namespace, and the object `xcuda`
    shell      runs a cell, in IPython's shell or without one
    share      lends an array to the program that drives the session (xeus_cuda.Session)
"""
