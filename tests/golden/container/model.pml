/* pairs: pairs.down.send */
inline pairs_down_send() {
    copy_message(pairs_m_, queue[queue_slot].m);
    push_list2_message(MY.pairs.kept, pairs_m_, pairs_m_, tmp1, tmp2);
    pairs_t1_ = tmp2;
    if
    :: !tmp2 ->
        skip;
    :: else
    fi;
    if
    :: (!pairs_t1_) ->
        if :: true -> printf("report: 2 pairs: `unreachable` was reached\n"); assert(false); :: else fi;
        skip;
    :: else ->
        if
        :: (MY.pairs.kept.n >= 2) ->
            tmp3 = 0;
            do
            :: tmp3 < 3 ->
                tmp3++;
                pop_list2_message(MY.pairs.kept, 0, 0, tmp4, tmp5);
                zero_option_message(pairs_t2_);
                if
                :: tmp5 ->
                    pairs_t2_.some = 1;
                    copy_message(pairs_t2_.v, tmp4);
                :: else
                fi;
                copy_option_message(pairs_t3_, pairs_t2_);
                if
                :: pairs_t3_.some ->
                    copy_message(pairs_m_4_, pairs_t3_.v);
                    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
                    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
                    copy_message(queue[queue_end].m, pairs_m_4_);
                    queued();
                :: else ->
                    break;
                fi;
            :: else ->
                if :: true -> printf("report: 3 pairs: a loop met its bound\n"); assert(false); :: else fi;
                break
            od;
        :: else
        fi;
    fi;
}
