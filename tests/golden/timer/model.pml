/* again<EVERY = 20 ms>: again.down.send */
inline again_down_send() {
    copy_message(again_m_, queue[queue_slot].m);
    tmp1.some = 1;
    copy_message(tmp1.v, again_m_);
    copy_option_message(MY.again.last_, tmp1);
    MY.again.repeat = 1;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_BELOW_DOWN_SEND;
    copy_message(queue[queue_end].m, again_m_);
    queued();
}
/* again<EVERY = 20 ms>: again.up.deliver */
inline again_up_deliver() {
    copy_message(again_m_, queue[queue_slot].m);
    zero_option_message(tmp2);
    copy_option_message(MY.again.last_, tmp2);
    MY.again.repeat = 0;
    if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
    queue[queue_end].what = PORT_ABOVE_UP_DELIVER;
    copy_message(queue[queue_end].m, again_m_);
    queued();
}
/* again<EVERY = 20 ms>: again.on.repeat */
inline again_on_repeat() {
    if
    :: MY.again.last_.some ->
        if :: queue_n < 64 :: else -> printf("report: 105 \n"); assert(false) fi;
        queue[queue_end].what = PORT_BELOW_DOWN_SEND;
        zero_message(tmp3);
        if
        :: (MY.again.last_.some) ->
            copy_message(tmp3, MY.again.last_.v);
        :: else
        fi;
        copy_message(queue[queue_end].m, tmp3);
        queued();
    :: else
    fi;
    MY.again.repeat = 1;
}
