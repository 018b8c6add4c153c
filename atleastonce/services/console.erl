%% Runs inside a lab's RabbitMQ node, and spares an Erlang VM (0.7 s) per question.
%%
%% Evaluates the expressions that it is sent through the Unix socket "console" in the
%% node's folder, which nobody else may enter. One packet each way, length first; an
%% answer begins with "+", an error with "-".

Number = fun(N) when is_integer(N) -> N; (_) -> 0 end,

%% A quorum queue's own figures are up to 5 s old; its Raft member knows them.
Asked = fun(Member, What) ->
    case ra:local_query(Member, What) of
        {ok, {_, N}, _} -> Number(N);
        _ -> 0
    end
end,

Depth = fun(Queue) ->
    case amqqueue:get_type(Queue) of
        rabbit_quorum_queue ->
            {Name, _} = amqqueue:get_pid(Queue),
            Member = {Name, node()},
            [Asked(Member, fun rabbit_fifo:query_messages_ready/1),
             Asked(Member, fun rabbit_fifo:query_messages_checked_out/1),
             Asked(Member, fun rabbit_fifo:query_consumer_count/1)];
        _ ->
            Items = [messages_ready, messages_unacknowledged, consumers],
            [Number(N) || {_, N} <- rabbit_amqqueue:info(Queue, Items)]
    end
end,

%% Name, ready, unacked and consumers of each queue, a line each; a worker's own queue
%% may go while we ask.
Row = fun(Queue) ->
    {resource, _, queue, Name} = amqqueue:get_name(Queue),
    try [Name, [[$\t, integer_to_list(N)] || N <- Depth(Queue)], $\n]
    catch exit:_ -> []
    end
end,
Queues = fun() -> [Row(Queue) || Queue <- rabbit_amqqueue:list(<<"/">>)] end,

Purge = fun() ->
    [catch rabbit_amqqueue:purge(Queue) || Queue <- rabbit_amqqueue:list(<<"/">>)],
    ok
end,

%% Close the sockets of all clients, without a word; return when the broker has noticed.
Gone = fun Gone(Readers) ->
    case [R || R <- Readers, is_process_alive(R)] of
        [] -> ok;
        Left -> timer:sleep(1), Gone(Left)
    end
end,
Cut = fun() ->
    Readers = rabbit_networking:connections(),
    [exit(R, kill) || R <- Readers],
    Gone(Readers)
end,

Evaluate = fun(Text) ->
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    {ok, Forms} = erl_parse:parse_exprs(Tokens),
    Ours = [{'Queues', Queues}, {'Purge', Purge}, {'Cut', Cut}],
    {value, Value, _} = erl_eval:exprs(Forms, orddict:from_list(Ours)),
    try [$+, iolist_to_binary(Value)]
    catch error:badarg -> [$+, io_lib:format("~0tp", [Value])]
    end
end,

Answer = fun(Text) ->
    try unicode:characters_to_binary(Evaluate(Text))
    catch Class:Reason -> iolist_to_binary(io_lib:format("-~0p", [{Class, Reason}]))
    end
end,

Serve = fun Serve(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Text} -> gen_tcp:send(Socket, Answer(Text)), Serve(Socket);
        _ -> gen_tcp:close(Socket)
    end
end,

%% That of a node that was killed; who may come to it is decided by the folder.
file:delete("console"),
Options = [{ifaddr, {local, "console"}}, binary, {packet, 4}, {active, false}],
{ok, Listener} = gen_tcp:listen(0, Options),
ok = file:change_mode("console", 8#666),
Accept = fun Accept() ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Server = spawn(fun() -> receive go -> Serve(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Server),
    Server ! go,
    Accept()
end,
Accept().
